// SPDX-License-Identifier: Apache-2.0

// Has assayd prove one Groth16 job and writes proof.json and public.json; docs/clients.md says how to generate assayv1.
//
//	prove ADDRESS CIRCUIT WITNESS.wtns      ADDRESS: HOST:PORT or unix:///PATH
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	engine "prove/assayv1"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: prove ADDRESS CIRCUIT WITNESS.wtns")
	}
	witness, err := os.ReadFile(os.Args[3])
	check(err)
	connection, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	defer connection.Close()
	client, ctx := engine.NewEngineClient(connection), context.Background()
	job, err := client.SubmitGroth16(ctx, &engine.SubmitGroth16Request{Circuit: os.Args[2], Witness: [][]byte{witness}})
	check(err)
	events, err := client.Watch(ctx, &engine.WatchRequest{JobId: job.JobId})
	check(err)
	var last *engine.JobEvent
	for {
		event, err := events.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		check(err)
		fmt.Fprintln(os.Stderr, event.State, event.Stage)
		last = event
	}
	if last.GetResult() == nil {
		log.Fatal(last.GetErrorMessage())
	}
	check(os.WriteFile("proof.json", last.Result.Proof[0], 0o644))
	check(os.WriteFile("public.json", last.Result.PublicValues[0], 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
