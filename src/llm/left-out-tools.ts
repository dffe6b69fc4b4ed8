import type { Log } from '../base/log.ts';
import type { ModelConnection } from '../config/settings/model-provider.ts';
import type { ToolDefinition } from '../contracts/tools/tool-call.ts';
import { quirksOf } from './quirks.ts';
import { acceptedTools } from './accepted-tools.ts';

type Address = Pick<ModelConnection, 'provider' | 'baseUrl'>;

/** The models that turns may use: the default model, and those of the models file. */
interface ConfiguredModels extends Address {
  readonly model: string;
  readonly described: ReadonlyMap<string, { readonly connection: Address | undefined }>;
}

/** Largest number of tools that a line of the log names. */
const MAX_TOLD = 20;

/** Writes into the log which tools are not offered to which model, because its provider takes fewer. */
export const logLeftOutTools = (
  { model, described, ...shared }: ConfiguredModels,
  tools: readonly ToolDefinition[],
  log: Pick<Log, 'warn'>,
): void => {
  for (const name of new Set([model, ...described.keys()])) {
    const { provider, baseUrl } = described.get(name)?.connection ?? shared;
    const { maxTools } = quirksOf(provider, baseUrl);
    const { leftOut } = acceptedTools(tools, maxTools);
    if (leftOut.length === 0) continue;
    const names = leftOut.slice(0, MAX_TOLD).map((tool) => tool.function.name);
    log.warn(
      { model: name, leftOut: leftOut.length, tools: names },
      `expected at most ${maxTools} tools, which the provider takes, received ${tools.length}: the last ones of MCP servers are not offered`,
    );
  }
};
