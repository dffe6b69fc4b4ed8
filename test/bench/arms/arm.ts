/**
 * One way to bring a model's answer to a client, who posts a question and reads Server-Sent Events. All arms ask the
 * same fake model on the same machine.
 */
export interface Arm {
  readonly name: 'proxy' | 'bare' | 'orion' | 'polling';
  readonly url: string;
  /** Headers that are sent with every question, in addition to its content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the JSON body of a question in a conversation of its own. */
  body(id: string, content: string): object;
  /** Returns the model's text in the data of one event; an empty string when the event has no text. */
  textOf(data: string): string;
  /** Returns the id of the workflow that answers a question; absent where there is no workflow. */
  workflowId?(id: string): string;
}
