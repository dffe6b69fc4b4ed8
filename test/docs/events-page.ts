import { RULES } from '../event-log/schedule/rules.ts';

const row = ({ rule, breaks, seen }: (typeof RULES)[keyof typeof RULES]): string =>
  `| ${rule} | ${seen} | ${breaks} |`;

/** Returns docs/events.md, whose rules are the table from which the schedule explorer leaves out one rule at a time. */
export const eventsPage = (): string => `# Events: ids, epochs, acceptance

For whoever changes how events of a turn are written, carried or read, and for whoever wonders why an id has an epoch.

A turn is a list of events. Several processes write it (the workflow, one attempt of a model call after another, whoever
closes a turn from outside), several carry it (live lane, signals, activity results, Postgres), and every reader must end
with the same list, from whatever id it resumes and whatever was killed meanwhile. Nobody locks anything for that: the
ids say it.

## Ids

An id is \`<epoch>-<seq>\`, for example \`101-7\`. Ids order by epoch, then by seq, and that is also the order in time.

- **seq** starts at 1 and goes on over the whole turn ([why](#the-rules-and-what-goes-wrong-without-each)).
- **epoch** belongs to one writer. Model call \`k\` (1, 2, …) of a turn is step \`k\`; its attempts write under \`100·k + 1\` to
  \`100·k + 98\`, in the order in which they claimed the step in Postgres. The workflow’s own events (phases, notices, tool
  results) after step \`k\` have \`100·k + 99\`, those before step 1 have 0. Whoever closes a turn without the workflow’s list
  writes under 999999.
- The first event of an epoch carries **after**: the id of the stored event that it follows, \`null\` for none.
- A later attempt of a step begins with **\`reset { fromSeq }\`**, where \`fromSeq\` is the step’s first seq: forget every event
  whose seq is \`fromSeq\` or more. A reset is a stored event like any other; no reader invents one. Its own seq is
  \`fromSeq − 1\`, so that what replaces the text begins with \`fromSeq\` again; that of an outside close, which withdraws
  everything, is 0.

Code: \`src/contracts/wire/event-id.ts\`; who claims an epoch: \`src/db/turns/context-repository.ts\`; what an attempt writes:
\`activities/call-model/attempt-output.ts\`; what the workflow writes: \`src/protocol/event-log/turn-log.ts\`.

## Acceptance

Workflow, gateway and late readers build the list with one function, \`accept\` in \`src/protocol/event-log/event-log.ts\`:

\`\`\`text
accept(list, event)                       list: stored events by id, resets included
  id not above the last                   ignore   known, or outdated
  same epoch as the last                  seq is the next one: take it, otherwise ask
  first event of another epoch            no \`after\`, or \`after\` not in the list: ask
                                          not a reset, and \`after\` is not the very end: ask
                                          otherwise: cut the list behind \`after\`, take it
ask                                       a reader drops the event and queries from the last id it holds;
                                          the workflow ignores it
\`\`\`

A viewer that holds id L gets every listed event with an id above L.

## The rules, and what goes wrong without each

Random schedules of one turn (crashes, zombies, lost and repeated signals, a lane that loses and reorders, gateway
restarts, terminations and resets by hand) run against the product’s own functions: 20,000 in every test run
and 80,000 more in \`npm run test:slow\`, no violation. Each rule below can be left out of a model of the same world; the last column is the invariant that a schedule
then breaks. This table and that test are one (\`test/event-log/schedule/rules.ts\`).

| rule | without it | breaks |
| --- | --- | --- |
${Object.values(RULES).map(row).join('\n')}

## Three paths, one list

1. **Live lane** (\`src/live\`): every event at once, over HTTP, to the gateway that started the turn, on a connection that
   all turns of a worker share, or by [Redis](turns.md#live-lane-over-redis) to every gateway that wants it. Losing it
   costs latency, never data.
2. **Durable log**: batches by signal to the workflow (\`src/live/durable-writer.ts\`), one in flight; what is not
   acknowledged at the end travels in the activity’s result. A gateway reads gaps by the query \`eventsSince\`.
3. **Postgres**: each model call stores its segment before it returns, \`closeTurn\` adds the workflow’s own events. An ended
   turn is read from there: all segments, sorted, through \`accept\`.

The terminal event (\`done\` or \`error\`) is never answered by a query, and goes on the lane only after the row has been
closed; the first close wins.
`;
