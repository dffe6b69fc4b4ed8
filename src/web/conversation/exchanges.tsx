import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { AskIn, AskOptions } from './ask-options.ts';
import { type BranchItem, lastTurnOf } from './branches.ts';
import { Contained } from './contained.tsx';
import {
  type DrawnFrom,
  type DrawnPart,
  drawnPart,
  earlierPlace,
  laterPlace,
  placeOfTurn,
  STEP,
} from './drawn-part.ts';
import { ExchangeView } from './exchange-view.tsx';
import { itemName, type UnsentQuestion } from './history.ts';
import { Problem } from '../parts/problem.tsx';
import { useReadingPlace } from './use-reading-place.ts';
import type { ShownConversation } from './use-conversation.ts';
import type { PageSteers } from './use-steers.ts';

interface ExchangesProps {
  readonly projectId: string;
  readonly conversation: ShownConversation;
  /** Id of the turn that the address names. */
  readonly addressed: string | undefined;
  readonly onRunning: (turnId: string, isRunning: boolean) => void;
  /** Id of the turn that runs here. */
  readonly running: string | undefined;
  readonly onAsk: AskIn;
  readonly onSendAgain: (unsent: UnsentQuestion) => void;
  readonly onDiscard: (unsent: UnsentQuestion) => void;
  /** Shows the branch of that turn instead of the present one. */
  readonly onShow: (turnId: string) => void;
  /** Called with what the running turn waits for, when that changes. */
  readonly onOpenInputs: (inputs: string) => void;
  readonly steers: PageSteers;
  readonly onUnapplied: (messageIds: readonly string[]) => void;
  readonly onTakeBack: (text: string) => void;
  /** The way in which questions are asked here. */
  readonly options: AskOptions;
}

/**
 * Draws what was said, from top to bottom, as much of it as is drawn at once, including the newest turn, since it may
 * run. The end stays in sight while it grows.
 */
export const Exchanges = ({ conversation, addressed, running, onAsk, options, ...rest }: ExchangesProps) => {
  const { branch, failure, isRead, readAgain } = conversation;
  const { place, toEnd } = useReadingPlace();
  useSentInSight(branch, toEnd);
  const { from, to, earlier, later } = useDrawnPart(conversation, addressed);
  const last = lastTurnOf(branch);
  const draw = (item: BranchItem) =>
    item.kind === 'note' ? (
      <p key={item.id} className="note" dir="auto">
        {item.content}
      </p>
    ) : (
      <Contained key={item.turnId}>
        <ExchangeView
          exchange={item}
          isLast={item.turnId === last}
          canAsk={running === undefined}
          {...rest}
          onAsk={onAsk}
        />
      </Contained>
    );
  // Questions below the end of the branch have not been taken, and are always shown.
  const standing = branch
    .slice(to)
    .filter((item) => item.kind === 'exchange' && (item.turnId === last || item.unsent));
  return (
    <div className="scroll" ref={place} role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
      <div className="column">
        {failure && <Problem failure={failure} again={readAgain} />}
        {earlier && <More words="Earlier messages" onMore={earlier} />}
        {isRead && branch.length === 0 && <Welcome onAsk={(question) => onAsk(question, options)} />}
        {branch.slice(from, to).map(draw)}
        {later && <More words="Later messages" onMore={later} />}
        {standing.map(draw)}
      </div>
    </div>
  );
};

/** Returns the part that is drawn, and how to draw what is before and after it, where there is something. */
const useDrawnPart = (
  { branch, earlierAt, readEarlier }: ShownConversation,
  addressed: string | undefined,
): DrawnPart & { readonly earlier: (() => void) | undefined; readonly later: (() => void) | undefined } => {
  const [moved, setMoved] = useState<{
    readonly by: string | undefined;
    readonly to: DrawnFrom | undefined;
  }>();
  const led = placeOfTurn(branch, addressed);
  // A person who asks, or goes to another turn, is led to that.
  const part = drawnPart(branch, moved && moved.by === addressed ? moved.to : led);
  useLed(branch, addressed);
  useLayoutEffect(() => {
    // The pressed button may be gone with the branch that was shown.
    if (addressed !== undefined && document.activeElement === document.body) {
      document.getElementById(addressed)?.focus({ preventScroll: true });
    }
  }, [addressed]);
  const move = (to: DrawnFrom | undefined): void => setMoved({ by: addressed, to });
  const earlier = (): void => {
    move(earlierPlace(branch, part));
    if (part.from < STEP && earlierAt !== null) readEarlier();
  };
  return {
    ...part,
    earlier: part.from > 0 || earlierAt !== null ? earlier : undefined,
    later: part.to < branch.length ? () => move(laterPlace(branch, part)) : undefined,
  };
};

/** Scrolls to a question as it is sent, from wherever its reader stood. */
const useSentInSight = (branch: readonly BranchItem[], toEnd: () => void): void => {
  const sent = branch.findLast((item) => item.kind === 'exchange' && item.unsent && !item.unsent.failure);
  const name = sent && itemName(sent);
  useEffect(() => {
    if (name !== undefined) toEnd();
  }, [name, toEnd]);
};

/** Scrolls once to the turn that the address names. The last one needs none: a conversation opens at its end. */
const useLed = (branch: readonly BranchItem[], addressed: string | undefined): void => {
  const seen = useRef<string>(undefined);
  const isThere = branch.some((item) => itemName(item) === addressed);
  const isLast = lastTurnOf(branch) === addressed;
  useEffect(() => {
    if (addressed === undefined || !isThere || seen.current === addressed) return;
    seen.current = addressed;
    if (!isLast) document.getElementById(addressed)?.scrollIntoView();
  }, [addressed, isThere, isLast]);
};

/** A button that shows more. When there is no more, the person who pressed it goes on in the conversation. */
const More = ({ words, onMore }: { words: string; onMore: () => void }) => {
  const place = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const button = place.current;
    return () => {
      if (button !== null && document.activeElement === button) {
        button.closest<HTMLElement>('.scroll')?.focus({ preventScroll: true });
      }
    };
  }, []);
  return (
    <>
      <button ref={place} type="button" className="quiet more" onClick={onMore}>
        {words}
      </button>
      <p className="fact printed">{words} are not on this paper.</p>
    </>
  );
};

const EXAMPLES = ['List the files, then read README.md', 'Write a 300-line file docs/a.md'];

const Welcome = ({ onAsk }: { onAsk: (question: string) => void }) => (
  <section className="welcome">
    <h2>What shall be done?</h2>
    <p>Orion reads and writes the files of its workspace, and an answer survives whatever stops meanwhile.</p>
    <ul>
      {EXAMPLES.map((example) => (
        <li key={example}>
          <button type="button" onClick={() => onAsk(example)}>
            {example}
          </button>
        </li>
      ))}
    </ul>
  </section>
);
