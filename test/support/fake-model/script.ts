/** What the fake provider does next in a response. It is plain data, so that a script can also be sent over HTTP. */
export type Step =
  /** A frame with text. */
  | { readonly text: string }
  /** A frame with reasoning, under the field name of the provider that is imitated. */
  | { readonly reasoning: string; readonly field?: 'reasoning_content' | 'reasoning' | 'thinking' }
  /** A frame whose `delta.tool_calls` is exactly this. */
  | { readonly calls: readonly unknown[] }
  | { readonly finish: string | null }
  /** The frame with empty `choices` that `stream_options.include_usage` asks for. */
  | { readonly usage: { readonly prompt: number; readonly completion: number } }
  /** A frame with exactly this JSON. */
  | { readonly frame: unknown }
  /** A comment line, as OpenRouter sends it while its upstream thinks. */
  | { readonly comment: string }
  /** The frame `[DONE]`. */
  | { readonly done: true }
  /** Characters that go on the wire as they are. */
  | { readonly raw: string }
  /** One string, sent `times` times without framing. */
  | { readonly flood: string; readonly times: number }
  /**
   * A number of timed text frames (see `timedText`), or `'endless'` for frames until the client leaves. A paragraph
   * ends after every `paragraph` frames; without it all text is one line. `first` is the number of the first frame
   * (default: 1).
   */
  | {
      readonly chunks: number | 'endless';
      readonly perSecond: number;
      readonly paragraph?: number;
      readonly first?: number;
    }
  | { readonly waitMs: number }
  /** A wait for `release(name)`; a gate that was released stays open. */
  | { readonly gate: string }
  /** A stream that stays open and sends nothing more until the client leaves. */
  | { readonly stall: true }
  /** A TCP reset of the connection. */
  | { readonly reset: true };

export interface Response {
  /** Milliseconds before anything is sent, the status line included (default: 0). */
  readonly delayMs?: number;
  /** The HTTP status (default: 200). */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is sent instead of a stream: a string as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly steps?: readonly Step[];
  /** The line end of frames (default: `\n`). */
  readonly lineEnd?: '\n' | '\r\n';
  /** The text in front of the data of a frame (default: `data: `). */
  readonly dataPrefix?: 'data: ' | 'data:';
  /**
   * Byte lengths of the writes to the socket, used one after the other and again from the first; they cut frames and
   * characters wherever they fall.
   */
  readonly cuts?: readonly number[];
  /** The number of bytes of the body after which the connection is reset. */
  readonly resetAfterBytes?: number;
}

/** The requests that a rule answers; an absent field matches every request. */
export interface Match {
  readonly model?: string;
  /** Text that the last user message must contain. */
  readonly user?: string;
  /** Text that at least one message must contain. */
  readonly includes?: string;
  readonly lastRole?: 'user' | 'assistant' | 'tool' | 'system';
  /** True for requests that offer tools, false for those that offer none. */
  readonly tools?: boolean;
}

/**
 * Responses to matching requests, one after the other. Once all are used, the rule matches nothing more, unless
 * `repeat` is set.
 */
export interface Rule {
  readonly match?: Match;
  readonly responses: readonly Response[];
  /** When set, the last response answers all further requests. */
  readonly repeat?: boolean;
}
