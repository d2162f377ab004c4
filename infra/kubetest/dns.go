package main

import (
	"context"
	"net"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"
)

const clusterDomain = "cluster.local"

// serveDNS answers for the addresses of services, and for nothing else: pods of the tests talk to each other.
func serveDNS(address string, client clientset.Interface) error {
	socket, err := net.ListenPacket("udp4", net.JoinHostPort(address, "53"))
	if err != nil {
		return err
	}
	go func() {
		question := make([]byte, 512)
		for {
			n, from, err := socket.ReadFrom(question)
			if err != nil {
				return
			}
			asked := append([]byte{}, question[:n]...)
			go func() {
				if answer, err := answerTo(asked, client); err == nil {
					_, _ = socket.WriteTo(answer, from)
				}
			}()
		}
	}()
	return nil
}

func answerTo(asked []byte, client clientset.Interface) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(asked); err != nil || len(m.Questions) != 1 {
		return nil, err
	}
	question := m.Questions[0]
	ip, found := addressOf(strings.ToLower(question.Name.String()), client)
	answer := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: m.ID, Response: true, Authoritative: true, RecursionDesired: m.RecursionDesired, RCode: dnsmessage.RCodeNameError},
		Questions: m.Questions,
	}
	if found {
		answer.RCode = dnsmessage.RCodeSuccess
	}
	if v4 := ip.To4(); v4 != nil && question.Type == dnsmessage.TypeA {
		header := dnsmessage.ResourceHeader{Name: question.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET, TTL: 5}
		answer.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: [4]byte(v4)}}}
	}
	return answer.Pack()
}

// addressOf returns the address of a service, which a headless one has not, and whether there is such a service.
func addressOf(name string, client clientset.Interface) (net.IP, bool) {
	service, isService := strings.CutSuffix(name, ".svc."+clusterDomain+".")
	parts := strings.Split(service, ".")
	if !isService || len(parts) != 2 {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	found, err := client.CoreV1().Services(parts[1]).Get(ctx, parts[0], metav1.GetOptions{})
	if err != nil {
		return nil, false
	}
	return net.ParseIP(found.Spec.ClusterIP), true
}
