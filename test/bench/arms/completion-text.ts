interface CompletionChunk {
  readonly choices: readonly { readonly delta?: { readonly content?: string | null } }[];
}

/** Returns the model's text in one frame of chat completions; an empty string when the frame has no text. */
export const textOfCompletion = (data: string): string =>
  data === '[DONE]' ? '' : ((JSON.parse(data) as CompletionChunk).choices[0]?.delta?.content ?? '');
