import { describe, expect, it } from '@jest/globals';
import type { ModelClient, ModelRequest } from '../../../src/llm/model-client.ts';
import { ProviderError } from '../../../src/llm/provider-error.ts';
import { callOf, deltasOf, failureOf, textOf } from './client-fixture.ts';

/** A provider behind the client. Each method prepares the provider for one request, and returns the request. */
export interface ProviderUnderContract {
  readonly client: ModelClient;
  /** Prepares an answer whose text contains `text`. */
  says(): { readonly request: ModelRequest; readonly text: string };
  /** Prepares an answer of one tool call. */
  calls(): { readonly request: ModelRequest; readonly name: string; readonly args: object };
  /** Prepares an answer whose text is cut at its token limit. */
  cut(): ModelRequest;
  /** Prepares the refusal of a request because of its `messages`. */
  refused(): ModelRequest;
  /** Prepares an answer whose text takes longer than a test. */
  goesOn(): ModelRequest;
}

/** Describes what the client relies on of a provider of chat completions; `open` is called once in each test. */
export const describeProvider = (name: string, open: () => ProviderUnderContract): void => {
  describe(`a provider: ${name}`, () => {
    it('sends text, then the finish reason and the usage, and then the end', async () => {
      const { client, says } = open();
      const { request, text } = says();
      const deltas = await deltasOf(client, request);
      expect(textOf(deltas)).toContain(text);
      const types = deltas.map(({ type }) => type);
      expect(new Set(types)).toEqual(new Set(['text', 'usage', 'finish', 'end']));
      expect(types.slice(types.lastIndexOf('text') + 1).toSorted()).toEqual(['end', 'finish', 'usage']);
      expect(types.at(-1)).toBe('end');
      expect(deltas).toContainEqual({ type: 'finish', reason: 'stop' });
      const cost = { promptTokens: expect.any(Number), completionTokens: expect.any(Number) };
      expect(deltas).toContainEqual({ type: 'usage', usage: cost });
    });

    it('calls a tool by its name, under an id, with arguments that are JSON in any number of pieces', async () => {
      const { client, calls } = open();
      const { request, name: tool, args } = calls();
      const deltas = await deltasOf(client, request);
      const pieces = deltas.filter((delta) => delta.type === 'call');
      expect(new Set(pieces.map(({ index }) => index))).toEqual(new Set([0]));
      expect(pieces.map((piece) => piece.name ?? '').join('')).toBe(tool);
      expect(pieces.find(({ id }) => id !== undefined)?.id).not.toBe('');
      expect(JSON.parse(pieces.map((piece) => piece.arguments ?? '').join(''))).toEqual(args);
      expect(deltas).toContainEqual({ type: 'finish', reason: 'tool_calls' });
      expect(deltas.at(-1)).toEqual({ type: 'end' });
    });

    it('reports that an answer was cut at its limit', async () => {
      const { client, cut } = open();
      expect(await deltasOf(client, cut())).toContainEqual({ type: 'finish', reason: 'length' });
    });

    it('refuses in its own words, which become a failure without a retry', async () => {
      const { client, refused } = open();
      const failure = await failureOf(client, refused());
      expect(failure).toBeInstanceOf(ProviderError);
      expect(failure).toMatchObject({ code: 'model_bad_request', isRetryable: false });
      expect(failure.message).toMatch(/messages/);
    });

    it('lets a client leave in the middle of an answer, and answers the next', async () => {
      const { client, goesOn, says } = open();
      const leave = new AbortController();
      const call = callOf(client, goesOn(), leave.signal);
      await call.begun;
      leave.abort(new Error('left'));
      await expect(call.ended).rejects.toThrow('left');
      const { request, text } = says();
      expect(textOf(await deltasOf(client, request))).toContain(text);
    });
  });
};
