// Package specmock holds typed mocks of the port, for tests of the suite's own machinery.
package specmock

//go:generate go tool mockgen -typed -destination port.go -package specmock joinmcast/spec Lab,Backend,Host,Configurer,Saboteur,Process,Mischief
