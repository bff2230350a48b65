// SPDX-License-Identifier: Apache-2.0

// The scenarios of ../test_grpc.py with google.golang.org/grpc, set up as Filecoin's Curio sets it up: limits of 256 MiB,
// connections made when first used, deadlines by contexts. Messages are written with protowire; health and reflection go
// through the clients that come with the library.
//
//	client ADDRESS [-ca FILE -cert FILE -key FILE] [-token TOKEN] [-quick]
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

var (
	ca    = flag.String("ca", "", "")
	cert  = flag.String("cert", "", "")
	key   = flag.String("key", "", "")
	token = flag.String("token", "", "")
	quick = flag.Bool("quick", false, "")
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func check(held bool, words ...any) {
	if !held {
		panic(fmt.Sprint(words...))
	}
}

func done(name string) { fmt.Println("ok", name) }

// Bytes as they are, for messages written by hand.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error)      { return v.([]byte), nil }
func (raw) Unmarshal(data []byte, v any) error { *(v.(*[]byte)) = bytes.Clone(data); return nil }
func (raw) Name() string                       { return "proto" }

func connect() *grpc.ClientConn {
	creds := insecure.NewCredentials()
	if *ca != "" {
		pem, err := os.ReadFile(*ca)
		must(err)
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		pair, err := tls.LoadX509KeyPair(*cert, *key)
		must(err)
		creds = credentials.NewTLS(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}})
	}
	conn, err := grpc.NewClient(flag.Arg(0), grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(256<<20), grpc.MaxCallSendMsgSize(256<<20)))
	must(err)
	return conn
}

func within(d time.Duration) (context.Context, context.CancelFunc) {
	ctx := context.Background()
	if *token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+*token)
	}
	return context.WithTimeout(ctx, d)
}

func number(field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), v)
}

func data(field protowire.Number, p []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), p)
}

// A number, or bytes, of a reply.
func get(p []byte, field protowire.Number) (uint64, []byte) {
	var v uint64
	var b []byte
	for len(p) > 0 {
		num, kind, n := protowire.ConsumeTag(p)
		check(n > 0, "bad tag")
		p = p[n:]
		m := protowire.ConsumeFieldValue(num, kind, p)
		check(m >= 0, "bad field")
		if num == field && kind == protowire.VarintType {
			v, _ = protowire.ConsumeVarint(p)
		} else if num == field {
			b, _ = protowire.ConsumeBytes(p)
		}
		p = p[m:]
	}
	return v, b
}

const prefix = "/assay.test.v1.Test/"

func unary(conn *grpc.ClientConn, path string, q []byte, d time.Duration, more ...grpc.CallOption) ([]byte, error) {
	ctx, cancel := within(d)
	defer cancel()
	if !strings.Contains(path, "/") {
		path = prefix + path
	}
	var reply []byte
	err := conn.Invoke(ctx, path, q, &reply, append(more, grpc.ForceCodec(raw{}))...)
	return reply, err
}

func refused(conn *grpc.ClientConn, code codes.Code, path string, q []byte, d time.Duration, more ...grpc.CallOption) string {
	_, err := unary(conn, path, q, d, more...)
	check(status.Code(err) == code, path, ": ", err, ", not ", code)
	return status.Convert(err).Message()
}

func counter(conn *grpc.ClientConn, field protowire.Number) uint64 {
	p, err := unary(conn, "Counters", nil, time.Minute)
	must(err)
	v, _ := get(p, field)
	return v
}

func until(what func() bool) {
	for i := 0; i < 500; i++ {
		if what() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	panic("did not happen in 10 s")
}

func stream(ctx context.Context, conn *grpc.ClientConn, name string, both bool) grpc.ClientStream {
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: both}, prefix+name, grpc.ForceCodec(raw{}))
	must(err)
	return s
}

func main() {
	address := os.Args[1]
	must(flag.CommandLine.Parse(append(os.Args[2:], address)))
	conn := connect()
	defer conn.Close()
	for _, n := range []int{0, 1, 1000, 100000, 4<<20 + 1} {
		p := bytes.Repeat([]byte("abcdefg"), n/7+1)[:n]
		reply, err := unary(conn, "Echo", data(1, p), time.Minute)
		must(err)
		_, back := get(reply, 1)
		check(bytes.Equal(p, back), n)
	}
	done("echo")
	big := bytes.Repeat([]byte("xyz"), 70000000/3)
	reply, err := unary(conn, "Echo", data(1, big), time.Minute)
	must(err)
	_, back := get(reply, 1)
	check(bytes.Equal(big, back), "70 MB")
	done("70 MB")

	ctx, cancel := within(time.Minute)
	s := stream(ctx, conn, "Count", false)
	must(s.SendMsg(append(number(1, 100), number(3, 10000)...)))
	must(s.CloseSend())
	for i := uint64(0); ; i++ {
		var m []byte
		if err := s.RecvMsg(&m); err == io.EOF {
			check(i == 100, i)
			break
		} else {
			must(err)
		}
		v, _ := get(m, 3)
		check(v == i, v)
	}
	cancel()
	done("stream")
	check(refused(conn, codes.NotFound, "Fail", append(number(1, 5), data(2, []byte("50% of é failed"))...), time.Minute) == "50% of é failed")
	done("status")
	reply, err = unary(conn, "Echo", nil, 30*time.Second)
	must(err)
	left, _ := get(reply, 2)
	check(left > 0 && left <= 31000, left)
	before := counter(conn, 2)
	refused(conn, codes.DeadlineExceeded, "Sleep", number(1, 20000), 300*time.Millisecond)
	until(func() bool { return counter(conn, 2) == before+1 })
	done("deadline")

	started := counter(conn, 1)
	ctx, cancel = within(time.Minute)
	ended := make(chan error)
	go func() {
		var m []byte
		ended <- conn.Invoke(ctx, prefix+"Sleep", number(1, 20000), &m, grpc.ForceCodec(raw{}))
	}()
	until(func() bool { return counter(conn, 1) == started+1 })
	cancel()
	check(status.Code(<-ended) == codes.Canceled)
	until(func() bool { return counter(conn, 2) == before+2 })
	ctx, cancel = within(time.Minute)
	s = stream(ctx, conn, "Count", false)
	must(s.SendMsg(append(number(1, 1000000), number(2, 5)...)))
	must(s.CloseSend())
	var m []byte
	must(s.RecvMsg(&m))
	must(s.RecvMsg(&m))
	cancel()
	until(func() bool { return counter(conn, 2) == before+3 })
	done("cancel")
	refused(conn, codes.Unimplemented, "Nothing", nil, time.Minute)
	refused(conn, codes.Unimplemented, "/a.B/C", nil, time.Minute)
	done("unknown method")
	refused(conn, codes.Unimplemented, "Echo", data(1, make([]byte, 1000)), time.Minute, grpc.UseCompressor(gzip.Name))
	done("compressed")
	refused(conn, codes.ResourceExhausted, "Echo", data(1, make([]byte, 81<<20)), time.Minute)
	_, err = unary(conn, "Echo", data(1, []byte("x")), time.Minute)
	must(err)
	done("oversized")

	ctx, cancel = within(time.Minute)
	s = stream(ctx, conn, "Talk", true)
	for _, letter := range "ABCDE" {
		must(s.SendMsg(data(1, []byte(string(letter)))))
		must(s.RecvMsg(&m))
		_, b := get(m, 1)
		check(string(b) == string(letter), string(b))
	}
	must(s.CloseSend())
	check(s.RecvMsg(&m) == io.EOF)
	cancel()
	done("both ways")

	ctx, cancel = within(time.Minute)
	defer cancel()
	state, err := health.NewHealthClient(conn).Check(ctx, &health.HealthCheckRequest{})
	must(err)
	check(state.Status == health.HealthCheckResponse_SERVING, state)
	_, err = health.NewHealthClient(conn).Check(ctx, &health.HealthCheckRequest{Service: "none"})
	check(status.Code(err) == codes.NotFound, err)
	done("health")
	info, err := reflection.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	must(err)
	must(info.Send(&reflection.ServerReflectionRequest{MessageRequest: &reflection.ServerReflectionRequest_ListServices{ListServices: "*"}}))
	services, err := info.Recv()
	must(err)
	check(len(services.GetListServicesResponse().GetService()) == 4, services)
	must(info.Send(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "assay.test.v1.Test"}}))
	file, err := info.Recv()
	must(err)
	check(len(file.GetFileDescriptorResponse().GetFileDescriptorProto()) == 1, file)
	must(info.CloseSend())
	_, err = info.Recv()
	check(err == io.EOF, err)
	done("reflection")
	if kept := *token; kept != "" {
		*token = "wrong"
		refused(conn, codes.Unauthenticated, "Echo", nil, time.Minute)
		*token = ""
		refused(conn, codes.Unauthenticated, "Echo", nil, time.Minute)
		*token = kept
	}
	done("token")

	n := 500
	if *quick {
		n = 50
	}
	var group sync.WaitGroup
	for i := 0; i < n; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			own := connect()
			defer own.Close()
			_, err := unary(own, "Sleep", number(1, 500), time.Minute)
			must(err)
		}()
	}
	group.Wait()
	done("many clients")
}
