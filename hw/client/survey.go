package client

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// survey is what only an RDMA application can find out about a host.
type survey struct {
	libraries map[string]string // path -> build-id
	device    spec.DeviceAttr
	udQP      error // of creating a UD QP: nil, or a *spec.CallError
}

// survey asks an agent, the first time it is wanted. Without an error h.surveyed is what it said.
func (h *host) survey(ctx context.Context) error {
	h.surveying.Lock()
	defer h.surveying.Unlock()
	if h.surveyed != nil {
		return nil
	}
	p, err := h.start(ctx, wire.StartParams{})
	if err != nil {
		return err
	}
	s, err := p.survey(ctx, spec.NewSockaddr(h.about.Addr, 0))
	if err != nil {
		_, killErr := p.Kill(ctx)
		return errors.Join(fmt.Errorf("%s: survey of the device: %w", h.conn.Name, err), killErr)
	}
	if _, err := p.Close(ctx); err != nil {
		return err
	}
	h.surveyed = s
	return nil
}

// survey leaves nothing behind.
func (p *Process) survey(ctx context.Context, addr spec.Sockaddr) (*survey, error) {
	libraries, err := p.libraries(ctx)
	if err != nil {
		return nil, err
	}
	channel, err := p.CreateEventChannel(ctx)
	if err != nil {
		return nil, err
	}
	id, err := p.CreateID(ctx, channel, 0, spec.PSUDP)
	if err != nil {
		return nil, err
	}
	if err := p.BindAddr(ctx, id, addr); err != nil {
		return nil, fmt.Errorf("bind to %s: %w", addr, err)
	}
	device, err := p.QueryDevice(ctx, id)
	if err != nil {
		return nil, err
	}
	_, udQP := p.CreateQP(ctx, id, spec.QPInitAttr{Type: spec.QPTypeUD, MaxSendWR: 1, MaxRecvWR: 1})
	var refused *spec.CallError
	switch {
	case udQP == nil:
		err = p.DestroyQP(ctx, id)
	case !errors.As(udQP, &refused):
		err = udQP
	}
	if err != nil {
		return nil, err
	}
	if err := p.DestroyID(ctx, id); err != nil {
		return nil, err
	}
	return &survey{libraries, device, udQP}, p.DestroyEventChannel(ctx, channel)
}

func (p *Process) libraries(ctx context.Context) (map[string]string, error) {
	var a wire.LibrariesAnswer
	response, err := request(ctx, p.rpc, wire.Libraries, nil)
	if err != nil {
		return nil, p.failure(ctx, wire.Libraries, err)
	}
	err = response.UnmarshalResult(&a)
	return a.Libraries, err
}

func (s *survey) capabilities() spec.Capabilities {
	created := "rdma_create_qp makes a UD QP"
	if s.udQP != nil {
		created = s.udQP.Error()
	}
	d := s.device
	return spec.Capabilities{
		spec.UDQP: {Has: s.udQP == nil, How: created},
		spec.McastQP: {
			Has: d.MaxMcastGrp > 0 && d.MaxMcastQPAttach > 0,
			How: fmt.Sprintf("ibv_query_device: max_mcast_grp %d, max_mcast_qp_attach %d", d.MaxMcastGrp, d.MaxMcastQPAttach),
		},
	}
}

// environment is the host program's part of the certificate with what the survey adds to it.
func (h *host) environment(ctx context.Context) (spec.HostEnvironment, error) {
	var env spec.HostEnvironment
	if err := h.request(ctx, wire.HostEnvironment, nil, &env); err != nil {
		return env, err
	}
	env.Name = h.conn.Name
	env.Libraries = maps.Clone(h.surveyed.libraries)
	env.Firmware = h.surveyed.device.FWVer
	env.NodeGUID = h.surveyed.device.NodeGUID
	env.SysImageGUID = h.surveyed.device.SysImageGUID
	return env, nil
}
