/** What the fake provider does next in a response. Plain data, so that a script also travels over HTTP. */
export type Step =
  /** A frame with text. */
  | { readonly text: string }
  /** A frame with a thought, under the field name of the provider to play. */
  | { readonly reasoning: string; readonly field?: 'reasoning_content' | 'reasoning' | 'thinking' }
  /** A frame whose `delta.tool_calls` is exactly this. */
  | { readonly calls: readonly unknown[] }
  | { readonly finish: string | null }
  /** The frame with empty `choices` that `stream_options.include_usage` asks for. */
  | { readonly usage: { readonly prompt: number; readonly completion: number } }
  /** A frame with exactly this JSON. */
  | { readonly frame: unknown }
  /** A comment line, as OpenRouter sends while its upstream thinks. */
  | { readonly comment: string }
  /** `[DONE]`. */
  | { readonly done: true }
  /** Characters on the wire as they are. */
  | { readonly raw: string }
  /** One unit so many times, without framing. */
  | { readonly flood: string; readonly times: number }
  /**
   * So many timed text frames (see `timedText`); `chunks: 'endless'` until the client leaves. A paragraph ends after
   * each `paragraph` of them; without it all are one line. `first`: number of the first of them, 1.
   */
  | {
      readonly chunks: number | 'endless';
      readonly perSecond: number;
      readonly paragraph?: number;
      readonly first?: number;
    }
  | { readonly waitMs: number }
  /** Waits for `release(name)`; a gate that was released stays open. */
  | { readonly gate: string }
  /** Nothing more until the client leaves. */
  | { readonly stall: true }
  /** A TCP reset. */
  | { readonly reset: true };

export interface Response {
  /** Milliseconds before anything is sent, the status line included: 0. */
  readonly delayMs?: number;
  /** 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of a stream: a string as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly steps?: readonly Step[];
  /** Line end of frames: `\n`. */
  readonly lineEnd?: '\n' | '\r\n';
  /** `data: `. */
  readonly dataPrefix?: 'data: ' | 'data:';
  /** Bytes of each write to the socket, in turn: cuts frames and characters wherever it falls. */
  readonly cuts?: readonly number[];
  /** Resets the connection after so many bytes of the body. */
  readonly resetAfterBytes?: number;
}

/** Which requests a rule answers; absent fields match all. */
export interface Match {
  readonly model?: string;
  /** Part of the last user message. */
  readonly user?: string;
  /** Part of any message. */
  readonly includes?: string;
  readonly lastRole?: 'user' | 'assistant' | 'tool' | 'system';
  /** Whether tools are offered. */
  readonly tools?: boolean;
}

/** Answers matching requests, one response after the other. */
export interface Rule {
  readonly match?: Match;
  readonly responses: readonly Response[];
  /** The last response answers all further requests. */
  readonly repeat?: boolean;
}
