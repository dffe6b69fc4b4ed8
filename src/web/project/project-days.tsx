import { useCallback } from 'react';
import type { ProjectDay } from '../../contracts/turn/project-day.ts';
import { DAY_SPANS, DEFAULT_DAY_SPAN, type Navigate, type PageRoute } from '../route/address.ts';
import { Problem } from '../components/problem.tsx';
import { listProjectDays } from '../http/conversation-requests.ts';
import { useRequest } from '../http/use-request.ts';
import { DAY_PLOTS, type DayPlot, withMissingDays, plotWords } from './day-plots.ts';
import { numberWords } from '../wording/number-words.ts';

interface ProjectDaysProps {
  readonly route: PageRoute;
  readonly onNavigate: Navigate;
}

/** Shows the figures of the turns of a project, day by day. */
export const ProjectDays = ({ route, onNavigate }: ProjectDaysProps) => {
  const { projectId, days: count = DEFAULT_DAY_SPAN } = route;
  const list = useRequest(useCallback(() => listProjectDays({ projectId, days: count }), [projectId, count]));
  return (
    <section className="scroll" aria-label="Project by day">
      <div className="days">
        <p className="fact">
          The last{' '}
          <select
            aria-label="Days that are shown"
            value={count}
            onChange={({ target }) => onNavigate({ ...route, days: Number(target.value) }, 'replace')}
          >
            {DAY_SPANS.map((each) => (
              <option key={each} value={each}>
                {each} days
              </option>
            ))}
          </select>{' '}
          by UTC
        </p>
        {list?.ok === false && <Problem failure={list.failure} />}
        {list?.ok && <Days days={withMissingDays(list.value.days, count, Date.now())} />}
      </div>
    </section>
  );
};

const Days = ({ days }: { days: readonly ProjectDay[] }) => (
  <>
    <div className="plots">
      {DAY_PLOTS.map((plot) => (
        <Plot key={plot.title} plot={plot} days={days} />
      ))}
    </div>
    <Unpriced days={days} />
    <DayTable days={days} />
  </>
);

/** Says how many turns are missing in the cost, because a model that they called has no price. */
const Unpriced = ({ days }: { days: readonly ProjectDay[] }) => {
  const unpriced = days.reduce((sum, day) => sum + day.unpriced, 0);
  return unpriced === 0 ? null : (
    <p className="fact">{numberWords(unpriced)} turns are not in the cost: their models have no price.</p>
  );
};

/** Height of a plot, in units of the drawing. */
const HEIGHT = 100;
const DAY_WIDTH = 10;
const BAR_WIDTH = 8;

const Plot = ({ plot, days }: { plot: DayPlot; days: readonly ProjectDay[] }) => {
  const most = Math.max(0, ...days.map(plot.measure));
  const heightOf = (value: number): number => (most === 0 ? 0 : (value / most) * HEIGHT);
  return (
    <figure className="plot">
      <figcaption>
        <strong>{plot.title}</strong> <span className="fact">{plotWords(plot, days)}</span>
      </figcaption>
      <span className="fact most">{most > 0 && plot.words(most)}</span>
      <svg viewBox={`0 0 ${days.length * DAY_WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map((day, index) => {
          const [value, part] = [plot.measure(day), plot.part?.measure(day) ?? 0];
          const shape = { x: index * DAY_WIDTH + (DAY_WIDTH - BAR_WIDTH) / 2, width: BAR_WIDTH };
          return (
            <g key={day.day}>
              <title>{`${day.day}: ${plotWords(plot, [day])}`}</title>
              <rect className="ground" {...shape} height={HEIGHT} />
              <rect className="all" {...shape} y={HEIGHT - heightOf(value)} height={heightOf(value)} />
              <rect
                className={plot.part?.isGood ? 'good' : 'bad'}
                {...shape}
                y={HEIGHT - heightOf(part)}
                height={heightOf(part)}
              />
            </g>
          );
        })}
      </svg>
      <span className="fact span">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </span>
    </figure>
  );
};

/** Shows the figures of the plots as a table, newest day first. Days without turns are left out. */
const DayTable = ({ days }: { days: readonly ProjectDay[] }) => (
  <details>
    <summary>In numbers</summary>
    <div className="wide" role="region" aria-label="Days in numbers" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {DAY_PLOTS.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ turns }) => turns > 0)
            .toReversed()
            .map((day) => (
              <tr key={day.day}>
                <th scope="row">{day.day}</th>
                {DAY_PLOTS.map((plot) => (
                  <td key={plot.title}>{plotWords(plot, [day])}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  </details>
);
