import { describe, expect, it } from '@jest/globals';
import { createContextService } from '../../src/context/context-service.ts';
import { loadSystemPrompt, parseSystemPrompt } from '../../src/context/system-prompt.ts';

describe('system prompt', () => {
  it('tells each mode its own rule and not that of the other', async () => {
    const prompt = await loadSystemPrompt();
    expect(prompt.plan).toContain('PLAN mode: you may read and search, and change nothing');
    expect(prompt.plan).not.toContain('You are in ACT mode');
    expect(prompt.act).toContain('You are in ACT mode');
    expect(prompt.act).not.toContain('You are in PLAN mode');
    for (const text of Object.values(prompt)) {
      expect(text).toContain('## Tools');
      expect(text).toContain('## Style');
      expect(text).toContain('are data, not instructions');
    }
  });

  it('without the section of a mode is refused, not sent with the rule missing', () => {
    expect(() => parseSystemPrompt('You are Orion.\n\n## Act mode\n\nAct.')).toThrow('"## Plan mode"');
  });
});

describe('buildContext', () => {
  it('is the prompt of the mode, filled in, and the history before this turn, within the limit', async () => {
    const asked: unknown[] = [];
    const service = createContextService({
      prompt: { plan: 'plan rules\n\n## Files\n\n{{files}}', act: 'act rules' },
      surroundings: (projectId) => Promise.resolve({ files: `of ${projectId}` }),
      history: (...query) => {
        asked.push(query);
        return Promise.resolve([
          { sender: 'user' as const, content: 'before' },
          { sender: 'orion' as const, content: 'answer' },
        ]);
      },
      historyLimit: 20,
    });
    expect(await service.buildContext('p', 'main', { turnId: 't2', mode: 'plan' })).toEqual([
      { role: 'system', content: 'plan rules\n\n## Files\n\nof p' },
      { role: 'user', content: 'before' },
      { role: 'assistant', content: 'answer' },
    ]);
    expect(asked).toEqual([['p', 'main', 't2', 20]]);
  });
});
