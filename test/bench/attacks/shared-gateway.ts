import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOrionArm, type OrionArm } from '../arms/orion-arm.ts';
import type { Ground } from '../ground.ts';
import type { BenchProcesses } from '../processes.ts';
import type { Target } from './attack.ts';
import { stackProcesses } from '../stack-processes.ts';
import { writeEvilFolder } from './evil-files.ts';

const EVIL_PROJECT = 'evil';
/** There are several projects, so that none of them meets the default limit of turns a minute. */
const GOOD_PROJECTS = ['ann', 'bea', 'cleo', 'dora'];

/** A gateway that several keys share: one of them attacks while the others work. */
export interface SharedGateway {
  readonly attacker: Target;
  /** One arm for each well-behaved key. */
  readonly workers: readonly OrionArm[];
  /** Resolves to the processes of gateway and workers, by process id. */
  processes(): Promise<ReadonlyMap<number, string>>;
}

const keyFor = (project: string) => {
  const key = randomBytes(24).toString('base64url');
  const entry = {
    name: project,
    sha256: createHash('sha256').update(key).digest('hex'),
    projects: [project],
  };
  return { key, entry };
};

const serveEvilMcp = (processes: BenchProcesses): Promise<number> =>
  processes.serve({ name: 'evil-mcp', role: 'demo-model', entry: 'test/bench/attacks/evil-mcp-server.ts' });

/** Prepares the settings of the shared stack: keys, a folder for each project, and the hostile MCP server. */
const prepare = async (processes: BenchProcesses, entries: readonly object[]) => {
  const folder = join(processes.dir, 'shared');
  mkdirSync(folder, { mode: 0o755 });
  const [keysFile, mcpFile, workspace] = ['keys.json', 'mcp.json', 'workspace'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const url = `http://127.0.0.1:${await serveEvilMcp(processes)}/mcp`;
  writeFileSync(keysFile, JSON.stringify(entries));
  writeFileSync(mcpFile, JSON.stringify({ mcpServers: { evil: { url }, flood: { url } } }));
  writeEvilFolder(join(workspace, EVIL_PROJECT));
  for (const project of GOOD_PROJECTS) mkdirSync(join(workspace, project), { recursive: true });
  return {
    ORION_API_KEYS_FILE: keysFile,
    ORION_MCP_CONFIG: mcpFile,
    ORION_WORKSPACE: workspace,
    ORION_PROJECT_FOLDERS: 'on',
    // These are the defaults: the limits of a single key are a part of what is measured.
    RATE_LIMIT_TURNS_PER_MINUTE: '60',
  };
};

/** Starts a second stack on the Temporal server and the model that all figures share. */
export const startSharedGateway = async (
  processes: BenchProcesses,
  ground: Ground,
): Promise<SharedGateway> => {
  const evil = keyFor(EVIL_PROJECT);
  const good = GOOD_PROJECTS.map((project) => ({ project, ...keyFor(project) }));
  const env = await prepare(processes, [evil.entry, ...good.map(({ entry }) => entry)]);
  const arm = await startOrionArm(processes, ground.model, ground.temporalAddress, {
    name: 'shared',
    env,
  });
  return {
    attacker: { baseUrl: arm.baseUrl, key: evil.key, projectId: EVIL_PROJECT },
    workers: good.map(({ project, key }) => ({
      ...arm,
      headers: { authorization: `Bearer ${key}` },
      body: (id: string, content: string) => ({
        projectId: project,
        conversationId: id,
        requestId: id,
        content,
      }),
    })),
    async processes() {
      const entries = await stackProcesses(arm);
      return new Map(
        entries
          .filter(({ role }) => role === 'gateway' || role === 'worker')
          .map(({ pid, role }) => [pid, role]),
      );
    },
  };
};
