// SPDX-License-Identifier: Apache-2.0

// The scenarios of ../test_assayd_clients.py with google.golang.org/grpc, set up as Filecoin's Curio sets it up: limits of
// 256 MiB, a connection made when first used, deadlines by contexts (grpc-timeout on the wire).
//
//	client ADDRESS WITNESS MODE
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

const (
	cuzk      = "/cuzk.v1.ProvingEngine/"
	own       = "/assay.v1.Engine/"
	completed = 1
	failed    = 2
	cancelled = 3
	timeout   = 4
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

func number(field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), v)
}

func data(field protowire.Number, p []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), p)
}

func text(field protowire.Number, s string) []byte { return data(field, []byte(s)) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// The last number of a field, and all its bytes.
func get(p []byte, field protowire.Number) (v uint64, b [][]byte) {
	for len(p) > 0 {
		num, kind, n := protowire.ConsumeTag(p)
		check(n > 0, "bad tag")
		p = p[n:]
		m := protowire.ConsumeFieldValue(num, kind, p)
		check(m >= 0, "bad field")
		if num == field && kind == protowire.VarintType {
			v, _ = protowire.ConsumeVarint(p)
		} else if num == field && kind == protowire.BytesType {
			one, _ := protowire.ConsumeBytes(p)
			b = append(b, one)
		}
		p = p[m:]
	}
	return v, b
}

func statusOf(p []byte) uint64 {
	v, _ := get(p, 2)
	return v
}

var conn *grpc.ClientConn

func invoke(ctx context.Context, method string, q []byte) ([]byte, error) {
	var reply []byte
	err := conn.Invoke(ctx, method, q, &reply, grpc.ForceCodec(raw{}))
	return reply, err
}

func within(method string, q []byte, d time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return invoke(ctx, method, q)
}

func call(method string, q ...[]byte) []byte {
	reply, err := within(method, join(q...), 2*time.Minute)
	must(err)
	return reply
}

func refused(code codes.Code, d time.Duration, method string, q ...[]byte) string {
	_, err := within(method, join(q...), d)
	check(status.Code(err) == code, method, ": ", err, ", not ", code)
	return status.Convert(err).Message()
}

func porep(id string, body []byte) []byte {
	return join(text(1, id), number(2, 1), number(3, 32<<30), data(10, body), number(20, 7), number(21, 1000))
}

func proven(id string, body []byte) []byte {
	_, result := get(call(cuzk+"Prove", data(1, porep(id, body))), 1)
	check(len(result) == 1, "no result")
	return result[0]
}

func free(witness []byte) {
	request := join(text(1, "go-groth16"), text(2, "small"), data(3, witness), data(3, witness))
	_, id := get(call(own+"SubmitGroth16", request), 1)
	check(string(id[0]) == "go-groth16", id)
	reply := call(cuzk+"AwaitProof", text(1, "go-groth16"))
	_, proof := get(reply, 3)
	check(statusOf(reply) == completed && bytes.Contains(proof[0], []byte(`"pi_a"`)), reply)
	done("groth16")
	stream, err := conn.NewStream(context.Background(), &grpc.StreamDesc{ServerStreams: true}, own+"Watch", grpc.ForceCodec(raw{}))
	must(err)
	must(stream.SendMsg(text(1, "go-groth16")))
	must(stream.CloseSend())
	var last, event []byte
	for {
		err = stream.RecvMsg(&event)
		if err == io.EOF {
			break
		}
		must(err)
		last = event
	}
	state, _ := get(last, 4)
	_, result := get(last, 11)
	_, proofs := get(result[0], 1)
	check(state == 3 && bytes.Equal(join(proofs...), proof[0]), state)
	done("watch")
	existed, _ := get(call(own+"SubmitGroth16", request), 2)
	check(existed == 1, "proven twice")
	refused(codes.AlreadyExists, time.Minute, own+"SubmitGroth16", text(1, "go-groth16"), text(2, "small"), data(3, witness))
	done("same id")
	r := proven("go-porep", []byte("{}"))
	_, words := get(r, 4)
	check(statusOf(r) == failed && len(words) == 1, r)
	done("failed in band")
	r = proven("go-large", make([]byte, 70_000_000))
	check(statusOf(r) == failed, r)
	done("70 MB")
	check(strings.HasPrefix(refused(codes.InvalidArgument, time.Minute, cuzk+"SubmitProof", number(2, 1)), "vanilla_proof"))
	refused(codes.NotFound, time.Minute, cuzk+"AwaitProof", text(1, "go-none"))
	refused(codes.NotFound, time.Minute, own+"SubmitGroth16", text(2, "none"), data(3, witness))
	done("errors")
	reply, err = within(cuzk+"GetStatus", nil, 5*time.Second)
	must(err)
	n, _ := get(reply, 4)
	check(n >= 1, "no proof was counted")
	_, metrics := get(call(cuzk+"GetMetrics"), 1)
	check(bytes.Contains(metrics[0], []byte("# TYPE assay_")), "no metrics")
	done("status")
}

func blocked() {
	refused(codes.DeadlineExceeded, 500*time.Millisecond, cuzk+"Prove", data(1, porep("go-late", []byte("{}"))))
	s := statusOf(call(cuzk+"AwaitProof", text(1, "go-late")))
	check(s == cancelled || s == failed, s)
	done("deadline")
	call(cuzk+"SubmitProof", porep("go-waits", []byte("{}")))
	check(statusOf(call(cuzk+"AwaitProof", text(1, "go-waits"), number(2, 200))) == timeout, "no timeout")
	done("timeout")
	was, _ := get(call(cuzk+"CancelProof", text(1, "go-waits")), 1)
	check(was == 0, "a waiting job was running")
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error)
	go func() {
		_, err := invoke(ctx, cuzk+"Prove", data(1, porep("go-gone", []byte("{}"))))
		over <- err
	}()
	for {
		if _, err := within(cuzk+"AwaitProof", join(text(1, "go-gone"), number(2, 1)), time.Minute); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	cancel()
	check(status.Code(<-over) == codes.Canceled, "not cancelled")
	check(statusOf(call(cuzk+"AwaitProof", text(1, "go-gone"))) == cancelled, "the job went on")
	done("cancel")
}

func main() {
	witness, err := os.ReadFile(os.Args[2])
	must(err)
	address := os.Args[1]
	if !strings.Contains(address, "://") && !strings.HasPrefix(address, "unix:") {
		address = "dns:///" + address
	}
	conn, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(256<<20), grpc.MaxCallSendMsgSize(256<<20)))
	must(err)
	if os.Args[3] == "free" {
		free(witness)
	} else {
		blocked()
	}
}
