/**
 * Checks that the double at the reading end of the lane takes the same as a gateway's hub, and shows the same of it.
 */
import { TurnHub } from '../../src/gateway/hub/turn-hub.ts';
import { FakeSources, RecordingViewer } from '../gateway/support/hub-world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RecordingSink } from './support/lane-gateway.ts';
import { describeLaneSink } from './support/lane-sink-contract.ts';

describeLaneSink('the hub', () => {
  const hub = new TurnHub({ sources: new FakeSources(), clock: new ManualClock() });
  const viewers = new Map<string, RecordingViewer>();
  return {
    sink: hub,
    watch(turnId) {
      const viewer = new RecordingViewer();
      viewers.set(turnId, viewer);
      hub.expect(turnId);
      hub.attach(turnId, null, viewer);
    },
    words: (turnId) => (viewers.get(turnId)?.seen ?? []).map((line) => line.slice(line.indexOf(' ') + 1)),
    cancel: (turnId) => hub.cancel(turnId),
  };
});

describeLaneSink('recording', () => {
  const sink = new RecordingSink();
  return {
    sink,
    watch: () => undefined,
    words: (turnId) => sink.words(turnId),
    cancel: (turnId) => sink.send(turnId, 'cancel'),
  };
});
