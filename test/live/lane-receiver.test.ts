/**
 * Checks that the double at the reading end of the lane takes the same as a gateway's hub, and shows the same of it.
 */
import { TurnHub } from '../../src/gateway/hub/turn-hub.ts';
import { FakeSources, RecordingViewer } from '../gateway/support/hub-world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RecordingReceiver } from './support/lane-gateway.ts';
import { describeLaneReceiver } from './support/lane-receiver-contract.ts';

describeLaneReceiver('the hub', () => {
  const hub = new TurnHub({ sources: new FakeSources(), clock: new ManualClock() });
  const viewers = new Map<string, RecordingViewer>();
  return {
    receiver: hub,
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

describeLaneReceiver('recording', () => {
  const receiver = new RecordingReceiver();
  return {
    receiver,
    watch: () => undefined,
    words: (turnId) => receiver.words(turnId),
    cancel: (turnId) => receiver.send(turnId, 'cancel'),
  };
});
