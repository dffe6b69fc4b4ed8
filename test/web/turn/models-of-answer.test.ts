import { expect, it } from '@jest/globals';
import { fallbackNotice } from '../../../src/protocol/turn/notices.ts';
import { foldEvent, EMPTY_VIEW } from '../../../src/web/turn/answer-view.ts';
import { modelsOfAnswer } from '../../../src/web/turn/models-of-answer.ts';

const entriesOf = (...fallbacks: (readonly [string, string])[]) =>
  fallbacks.reduce((view, [unavailable, model], seq) => {
    const { chunk: content, notice } = fallbackNotice(unavailable, model);
    return foldEvent(view, seq, { type: 'chunk', content, notice });
  }, EMPTY_VIEW).entries;

it('the models of an answer are the first and those that took over, as far as they are known', () => {
  expect(modelsOfAnswer(undefined, entriesOf())).toEqual([]);
  expect(modelsOfAnswer('one', entriesOf())).toEqual(['one']);
  expect(modelsOfAnswer('one', entriesOf(['one', 'two'], ['two', 'three']))).toEqual(['one', 'two', 'three']);
  expect(modelsOfAnswer(undefined, entriesOf(['a/b:1.5', 'c.d']))).toEqual(['a/b:1.5', 'c.d']);
});
