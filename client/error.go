package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ladderback/ladderback/strategy"
)

// Error is an answer of the server that is not what was asked for.
type Error struct {
	Status    int    `json:"-"`
	Code      string `json:"error"`   // for machines; empty where the parameters are invalid, or no server of ours answered
	Message   string `json:"message"` // in words
	RequestID string `json:"-"`       // to find the request in the server's log; may be empty
	// RetryAfter is how long the server asks to wait; 0: it does not say.
	RetryAfter time.Duration `json:"-"`
	// Detail has the invalid parameters, with status 422.
	Detail []Invalid `json:"detail"`
	// At has the phrases of a refused prompt.
	At []Phrase `json:"at"`
	// Suggestion is a whole prompt that can be read; empty: none is known.
	Suggestion string `json:"suggestion"`
	// Confirm is how a prompt that was refused can nearly be read; nil: it cannot.
	Confirm *Reading `json:"confirm"`
	// Choices are the readings of a prompt that has several.
	Choices []Reading `json:"choices"`
}

// Invalid is a parameter that the server does not take.
type Invalid struct {
	Loc  []any  `json:"loc"` // where it stands: query, path or body, then its name
	Msg  string `json:"msg"`
	Type string `json:"type"`
}

// Phrase is a part of a prompt, from Start up to End in code points.
type Phrase struct {
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Text    string `json:"text"`
	Message string `json:"message"` // what is wrong with it; empty for what is merely left out
}

// Reading is a strategy that a refused prompt may mean.
type Reading struct {
	Strategy strategy.Strategy `json:"strategy"`
	Summary  string            `json:"summary"`
	LeftOut  []Phrase          `json:"left_out"` // of the prompt
	// ReadByModelAlone lists the fields that only the language model has read.
	ReadByModelAlone []string `json:"read_by_model_alone"`
	// Likely lists the fields that the words around their numbers most likely mean.
	Likely []string `json:"likely"`
}

func (e *Error) Error() string {
	words := e.Message
	for i, d := range e.Detail {
		if i == 0 {
			words = ""
		} else {
			words += "; "
		}
		words += d.String()
	}
	if words == "" {
		words = http.StatusText(e.Status)
	}
	return strings.TrimPrefix(fmt.Sprintf("%s: %s", e.Code, words), ": ")
}

// String is the parameter and what is wrong with it.
func (i Invalid) String() string {
	names := make([]string, 0, len(i.Loc))
	for k, part := range i.Loc {
		if k > 0 {
			names = append(names, fmt.Sprint(part))
		}
	}
	return strings.Join(names, ".") + ": " + i.Msg
}

// IsNotFound reports whether err says that what was asked for does not exist.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// errorBytes bounds what is read of an answer that is an error.
const errorBytes = 1 << 20

// errorOf reads the error of an answer, and closes it.
func errorOf(r *http.Response) error {
	defer r.Body.Close()
	e := &Error{Status: r.StatusCode, RequestID: r.Header.Get("X-Request-Id")}
	if s, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil && s > 0 {
		e.RetryAfter = time.Duration(s) * time.Second
	}
	text, _ := io.ReadAll(io.LimitReader(r.Body, errorBytes))
	if err := json.Unmarshal(text, e); err != nil || e.Message == "" && e.Code == "" {
		// Not ours: a proxy's page, say. Its words are not for people.
		e.Message = fmt.Sprintf("the server at %s answered %s without saying why in JSON", r.Request.URL.Host, r.Status)
	}
	return e
}
