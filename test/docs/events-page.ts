import { RULES } from '../event-log/schedule/rules.ts';

const entry = ({ rule, breaks, seen }: (typeof RULES)[keyof typeof RULES]): string =>
  `- **${rule[0]?.toUpperCase()}${rule.slice(1)}.** ${seen} _Breaks:_ ${breaks}.`;

/** Returns docs/events.md, whose rules are the table from which the schedule explorer leaves out one rule at a time. */
export const eventsPage = (): string => `# Events: ids, epochs, acceptance

This page is for people who change how the events of a turn are written, carried or read. It also answers why an event
id has an epoch. It is generated: change \`test/docs/events-page.ts\` and run \`npm run docs\`.

A turn is a list of events:

- Several processes write it: the workflow, one attempt of a model call after another, and whichever process closes a
  turn from outside.
- Several paths carry it: the live lane, signals, activity results and Postgres.
- Every reader must end with the same list, whichever id it resumes from and whichever process was killed meanwhile.

There are no locks for this. The ids contain all that is needed.

## Ids

An id has the form \`<epoch>-<seq>\`, for example \`101-7\`. Ids are ordered by epoch, then by seq; that is also their order
in time.

- **seq** starts at 1 and counts on over the whole turn ([why](#the-rules-and-what-goes-wrong-without-each)).
- **epoch** belongs to one writer. If a lost attempt and its successor had the same epoch, one id would mean different
  words, and a reader that resumes from it would get half of each. Model call \`k\` (1, 2, …) of a turn is step \`k\`.

  | writer                                                                              | epoch                       |
  | ----------------------------------------------------------------------------------- | --------------------------- |
  | the workflow, before step 1                                                         | 0                           |
  | attempts of step \`k\`, in the order in which they claimed the step in Postgres       | \`100·k + 1\` to \`100·k + 98\` |
  | the workflow, after step \`k\` (phases, notices, tool results)                        | \`100·k + 99\`                |
  | a process that closes the turn without having the workflow’s list                   | 999999                      |

- **after** is a field of the first event of an epoch: the id of the stored event that it follows, or \`null\` if there is
  none.
- **\`reset { fromSeq }\`** is how a later attempt of a step begins. \`fromSeq\` is the first seq of the step, and readers
  forget every event whose seq is \`fromSeq\` or more. A reset is a stored event like any other; no reader invents one.
  Its own seq is \`fromSeq − 1\`, so the text that replaces the old one begins with \`fromSeq\` again. The reset of an outside
  close withdraws everything and has seq 0.

| what                          | code                                        |
| ----------------------------- | ------------------------------------------- |
| the form of ids               | \`src/contracts/wire/event-id.ts\`            |
| claiming an epoch             | \`src/db/turns/step-repository.ts\`        |
| the events of an attempt      | \`activities/call-model/attempt-output.ts\`   |
| the events of the workflow    | \`src/protocol/event-log/turn-log.ts\`        |

## Acceptance

Workflow, gateway and late readers all build the list with one function, \`accept\` in \`src/protocol/event-log/event-log.ts\`:

\`\`\`text
accept(list, event)                       list: stored events by id, resets included
  id not above the last                   ignore   known, or outdated
  same epoch as the last                  seq is the next one: take it, otherwise ask
  first event of another epoch            no \`after\`, or \`after\` not in the list: ask
                                          not a reset, and \`after\` is not the very end: ask
                                          otherwise: cut the list behind \`after\`, take it
ask                                       a reader keeps or drops the event, and asks for what follows the
                                          last id it holds; the workflow drops it
\`\`\`

A viewer that holds id L gets every listed event with an id above L.

## The rules, and what goes wrong without each

A test runs random schedules of one turn against the product’s own functions, with crashes, zombies, lost and repeated
signals, a lane that loses and reorders, gateway restarts, and terminations and resets by hand. It explores 20,000
schedules in every test run and 80,000 more in \`npm run test:slow\`, without a violation.

Each rule below can be switched off in a model of the same world. What would then happen follows the rule, with the
invariant that some schedule breaks. The list and the test share one source (\`test/event-log/schedule/rules.ts\`).

${Object.values(RULES).map(entry).join('\n')}

## Three paths, one list

1. **Live lane** (\`src/live\`): carries every event at once. Over HTTP it leads to the gateway that started the turn, on a
   connection that all turns of a worker share; over [Redis](turns.md#live-lane-over-redis) it leads to every gateway
   that wants the turn. Losing it costs latency, never data.
2. **Durable log**: batches go by signal to the workflow (\`src/live/durable-writer.ts\`), one in flight at a time. Events
   that are not acknowledged at the end travel in the activity’s result. A gateway fills gaps with the query \`eventsSince\`.
3. **Postgres**: each model call stores its segment before it returns, and \`closeTurn\` adds the workflow’s own events. A
   turn that has ended is read from there: all segments, sorted, through \`accept\`.

No query ever returns the terminal event (\`done\` or \`error\`). It goes onto the lane only after the row has been closed,
and the first close wins.
`;
