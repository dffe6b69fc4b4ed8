/**
 * One way to bring a model's answer to a client: POST a question, read Server-Sent Events. All arms ask the same
 * fake model on the same machine.
 */
export interface Arm {
  readonly name: 'proxy' | 'bare' | 'orion' | 'polling';
  readonly url: string;
  /** Sent with every question besides its content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON body of a question in a conversation of its own. */
  body(id: string, content: string): object;
  /** Text of the model in the data of one event; empty when it carries none. */
  textOf(data: string): string;
  /** Workflow of a question, where there is one. */
  workflowId?(id: string): string;
}
