import type { Config } from '../config/config.ts';
import { openCommandHost } from '../tools/command/open-command-host.ts';
import { findRipgrep } from '../tools/search/ripgrep.ts';

const APPROVALS = { ask: 'asked about', allow: 'allowed' } as const;

/**
 * Returns the line about commands that a model may run, for the person who starts the stack. Returns undefined if
 * commands are switched off. The workers check the same themselves.
 */
export const findCommandsNotice = async ({
  commands,
  dataDir,
  workspace,
}: Pick<Config, 'commands' | 'dataDir' | 'workspace'>): Promise<string | undefined> => {
  const { offered, sandbox } = commands;
  if (offered === 'off') return undefined;
  const options = { dataDir, workspace, env: {}, handedOn: [], findRipgrep };
  const opened = await openCommandHost(sandbox, options);
  if (!opened.ok) return `not offered: ${opened.reason}`;
  return opened.host.isSandboxed
    ? `${APPROVALS[offered]}, in a sandbox`
    : `${APPROVALS[offered]}, WITHOUT a sandbox: each can do what your account can`;
};
