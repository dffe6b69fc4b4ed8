/** docs/protocol.md "What the model is told" has the texts for the model word for word. */
import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import * as notices from '../../src/protocol/turn/notices.ts';
import { NOT_RUN_ONE_AT_A_TIME } from '../../src/protocol/turn/tool-report.ts';

const page = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
/** Returns a text as the page has it, on one line. */
const onOneLine = (text: string): string => text.replaceAll('\n', '\\n');

it.each([
  notices.DUPLICATE_NOTICE.system,
  notices.MALFORMED_NOTICE.system,
  notices.TOO_MANY_CALLS_NOTICE.system,
  notices.TOKEN_LIMIT.chunk,
  notices.COST_LIMIT.chunk,
  notices.fallbackNotice('<one>', '<other>').chunk,
  notices.planModeNotice(['<names>']).system,
  notices.planModeNotice(['<names>']).chunk,
  notices.duplicateNotice('<Tool.action>').system,
  notices.duplicateNotice('<Tool.action>').chunk,
  notices.limitNotice('cycle_limit', 'Maximum tool execution cycles (<n>) reached.').system,
  notices.failureAdvice(true),
  notices.failureAdvice(false),
  notices.MORE_TOOLS_MESSAGE,
  NOT_RUN_ONE_AT_A_TIME,
])('%s', (text) => expect(page).toContain(onOneLine(text ?? '')));
