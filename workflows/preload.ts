/*
 * Loaded before the modules that all workflows of a worker share (`worker/bundle.ts`). The sandbox deeply freezes
 * whatever those modules export. A zod schema builds its methods at first use, so a frozen schema throws at its first
 * `safeParse`. The sandbox skips an object that is frozen already. Each module of schemas is therefore frozen here, but
 * not the schemas in it.
 */
import * as budgets from '../src/contracts/turn/budgets.ts';
import * as eventBatch from '../src/contracts/wire/event-batch.ts';
import * as reply from '../src/contracts/inputs/reply.ts';
import * as inputEvents from '../src/contracts/wire/input-events.ts';
import * as jsonValue from '../src/contracts/values/json-value.ts';
import * as modelMessage from '../src/contracts/model/model-message.ts';
import * as steering from '../src/contracts/inputs/steering.ts';
import * as toolCall from '../src/contracts/tools/tool-call.ts';
import * as turnEvent from '../src/contracts/wire/turn-event.ts';
import * as sessionMessages from '../src/contracts/write-session/session-messages.ts';
import * as writeSession from '../src/contracts/write-session/write-session.ts';
import * as ids from '../src/contracts/values/ids.ts';

const contracts = [
  budgets,
  eventBatch,
  inputEvents,
  jsonValue,
  modelMessage,
  reply,
  sessionMessages,
  steering,
  toolCall,
  turnEvent,
  writeSession,
  ids,
];
for (const contract of contracts) Object.freeze(contract);

/**
 * The SDK takes a stack trace, frame by frame through the source map, for every promise of the sandbox. Without frames
 * a turn of 50 cycles replays in 0.6 s instead of 3 s. After the loss of a worker, this replay has to fit into one
 * workflow task. Failures of workflow code then name no line, but keep their messages.
 */
Error.stackTraceLimit = 0;
