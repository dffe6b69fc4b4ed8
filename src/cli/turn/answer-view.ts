import type { AnswerWriter } from '../render/live-answer.ts';
import type { TurnViewer } from './turn-viewer.ts';

/** Shows what the model says. `isFile`: it is writing the content of a file just now. */
export const createAnswerView = (writer: AnswerWriter, isFile: () => boolean): TurnViewer => ({
  frame({ event }, said) {
    switch (event.type) {
      case 'chunk':
        if (event.notice !== undefined) return;
        writer.verbatim(isFile());
        return writer.text(event.content);
      case 'reset':
        return writer.withdraw(said.text.length);
      case 'phase':
        return writer.settle();
      default:
        return;
    }
  },
  // What was said is worth having, however it ended.
  close: () => writer.end(),
});
