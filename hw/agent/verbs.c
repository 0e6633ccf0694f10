/* Calls of libibverbs that send nothing: the device, groups of a QP, address handles. */
#include "agent.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>

static json_t *guid_json(__be64 guid)
{
	char text[17];

	snprintf(text, sizeof text, "%016" PRIx64, (uint64_t)be64toh(guid));
	return json_string(text);
}

void query_device(struct call *call)
{
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	struct ibv_device_attr attr = {0};

	if (refused(call))
		return;
	MAKE(call, call->ret = ibv_query_device(id->verbs, &attr));
	succeeds_with_zero(call);
	if (!call->ok)
		return;
	attr.fw_ver[sizeof attr.fw_ver - 1] = '\0';
	call->answer = json_pack("{s:{s:s, s:o, s:o, s:I, s:I, s:I}}", "attr",
				 "fw_ver", attr.fw_ver,
				 "node_guid", guid_json(attr.node_guid),
				 "sys_image_guid", guid_json(attr.sys_image_guid),
				 "max_mcast_grp", (json_int_t)attr.max_mcast_grp,
				 "max_mcast_qp_attach", (json_int_t)attr.max_mcast_qp_attach,
				 "max_total_mcast_qp_attach", (json_int_t)attr.max_total_mcast_qp_attach);
}

void attach_multicast(struct call *call)
{
	union ibv_gid gid = {.raw = {0}};
	struct ibv_qp *qp = handle_param(call, call->params, "qp", QP, NULL);
	uint16_t mlid = (uint16_t)int_param(call, call->params, "mlid", 0, UINT16_MAX);

	gid_param(call, call->params, "gid", &gid);
	if (refused(call))
		return;
	MAKE(call, call->ret = ibv_attach_mcast(qp, &gid, mlid));
	succeeds_with_zero(call);
}

void detach_multicast(struct call *call)
{
	union ibv_gid gid = {.raw = {0}};
	struct ibv_qp *qp = handle_param(call, call->params, "qp", QP, NULL);
	uint16_t mlid = (uint16_t)int_param(call, call->params, "mlid", 0, UINT16_MAX);

	gid_param(call, call->params, "gid", &gid);
	if (refused(call))
		return;
	MAKE(call, call->ret = ibv_detach_mcast(qp, &gid, mlid));
	succeeds_with_zero(call);
}

json_t *ah_attr_json(const struct ibv_ah_attr *attr)
{
	return json_pack("{s:b, s:{s:o, s:I, s:i, s:i, s:i}, s:i, s:i, s:i, s:i}",
			 "is_global", attr->is_global,
			 "grh",
			 "dgid", hex(attr->grh.dgid.raw, sizeof attr->grh.dgid.raw),
			 "flow_label", (json_int_t)attr->grh.flow_label,
			 "sgid_index", attr->grh.sgid_index,
			 "hop_limit", attr->grh.hop_limit,
			 "traffic_class", attr->grh.traffic_class,
			 "dlid", attr->dlid,
			 "sl", attr->sl,
			 "static_rate", attr->static_rate,
			 "port_num", attr->port_num);
}

static void ah_attr_param(struct call *call, json_t *object, struct ibv_ah_attr *attr)
{
	json_t *grh = object_param(call, object, "grh");

	gid_param(call, grh, "dgid", &attr->grh.dgid);
	attr->grh.flow_label = (uint32_t)int_param(call, grh, "flow_label", 0, UINT32_MAX);
	attr->grh.sgid_index = (uint8_t)int_param(call, grh, "sgid_index", 0, UINT8_MAX);
	attr->grh.hop_limit = (uint8_t)int_param(call, grh, "hop_limit", 0, UINT8_MAX);
	attr->grh.traffic_class = (uint8_t)int_param(call, grh, "traffic_class", 0, UINT8_MAX);
	attr->is_global = bool_param(call, object, "is_global");
	attr->dlid = (uint16_t)int_param(call, object, "dlid", 0, UINT16_MAX);
	attr->sl = (uint8_t)int_param(call, object, "sl", 0, UINT8_MAX);
	attr->static_rate = (uint8_t)int_param(call, object, "static_rate", 0, UINT8_MAX);
	attr->port_num = (uint8_t)int_param(call, object, "port_num", 0, UINT8_MAX);
}

void create_ah(struct call *call)
{
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	struct ibv_ah_attr attr = {0};
	struct ibv_ah *ah;

	ah_attr_param(call, object_param(call, call->params, "attr"), &attr);
	if (refused(call))
		return;
	MAKE(call, ah = ibv_create_ah(id->pd, &attr));
	returns_pointer(call, ah);
	call->answer = json_pack("{s:I}", "ah", (json_int_t)give_handle(AH, ah));
}

void destroy_ah(struct call *call)
{
	uint32_t handle;
	struct ibv_ah *ah = handle_param(call, call->params, "ah", AH, &handle);

	if (refused(call))
		return;
	MAKE(call, call->ret = ibv_destroy_ah(ah));
	succeeds_with_zero(call);
	if (call->ok)
		drop_handle(AH, handle);
}
