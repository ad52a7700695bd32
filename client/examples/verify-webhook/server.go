// Receives webhooks and drops what the service did not send. Needs the standard library only.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// The body as it was received: JSON that was parsed and written again has another signature.
func isSentByService(header http.Header, body []byte, secret string) bool {
	seconds, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	key := []byte(secret)
	if encoded, found := strings.CutPrefix(secret, "whsec_"); found {
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return false
		}
	}
	if len(key) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", header.Get("webhook-id"), header.Get("webhook-timestamp"))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// Two signatures while a secret is rotated.
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal(expected, []byte(signature)) {
			return true
		}
	}
	return false
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, 1<<20))
	if err != nil || !isSentByService(request.Header, body, os.Getenv("WEBHOOK_SECRET")) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	var event struct{ Type string }
	if json.Unmarshal(body, &event) == nil {
		fmt.Println(event.Type, request.Header.Get("webhook-id"))
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	http.Serve(listener, http.HandlerFunc(receive))
}
