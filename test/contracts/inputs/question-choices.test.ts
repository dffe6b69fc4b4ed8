import { describe, expect, it } from '@jest/globals';
import { parseChoices } from '../../../src/contracts/inputs/question-choices.ts';

describe('choices of a question, which the page and the command line offer', () => {
  it.each([
    [
      '{"question":"Which?","options":["a","b",3],"multiple":true}',
      { options: ['a', 'b'], allowsMultiple: true },
    ],
    ['{"options":"a"}', { options: [], allowsMultiple: false }],
    ['["a"]', { options: [], allowsMultiple: false }],
    ['null', { options: [], allowsMultiple: false }],
    ['{"opt', { options: [], allowsMultiple: false }],
    [undefined, { options: [], allowsMultiple: false }],
  ])('%s', (text, choices) => expect(parseChoices(text)).toEqual(choices));
});
