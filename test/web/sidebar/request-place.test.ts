import { expect, it } from '@jest/globals';
import { requestPlaceWords } from '../../../src/web/sidebar/request-place.ts';

it('a waiting request names its conversation, or its project where the title is not known, but never an id', () => {
  const listed = [
    { conversationId: 'main', title: 'Paint' },
    { conversationId: 'chat-1', title: '' },
  ];
  const wordsOf = (projectId: string, conversationId: string): string =>
    requestPlaceWords({ projectId, conversationId }, 'demo', listed);
  expect(wordsOf('demo', 'main')).toBe('Paint');
  expect(wordsOf('demo', 'chat-1')).toBe('In this project');
  expect(wordsOf('demo', 'chat-2')).toBe('In this project');
  // Another project may have a conversation with the same id.
  expect(wordsOf('web', 'main')).toBe('In project web');
});
