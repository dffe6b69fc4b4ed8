interface CompletionChunk {
  readonly choices: readonly { readonly delta?: { readonly content?: string | null } }[];
}

/** Text of the model in one frame of chat completions; empty when it carries none. */
export const textOfCompletion = (data: string): string =>
  data === '[DONE]' ? '' : ((JSON.parse(data) as CompletionChunk).choices[0]?.delta?.content ?? '');
