import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readApprovalRules } from '../../../src/config/files/approvals-file.ts';
import { loadConfig, loadServiceConfig } from '../../../src/config/load-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-approvals-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'approvals.json');

const read = (content: unknown) => {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  const problems: string[] = [];
  const rules = readApprovalRules(path, problems);
  return { rules, problems: problems.map((one) => one.replace(`ORION_APPROVALS_FILE: ${path}: `, '')) };
};

describe('the file of approvals', () => {
  it('contains the rules in their order', () => {
    const rules = [
      { tool: 'a', arguments: { path: 'b' }, mode: 'deny' },
      { tool: '*', mode: 'ask' },
    ];
    expect(read(rules)).toEqual({ rules, problems: [] });
  });

  it('has all its problems reported at once', () => {
    const file = [
      { tool: '', mode: 'ask' },
      { tool: 'x'.repeat(257), mode: 'maybe' },
      { mode: 'ask', toll: 'x' },
    ];
    expect(read(file).problems).toEqual([
      '[0] › tool: expected a pattern, received ""',
      expect.stringMatching(/^\[1\] › tool: expected at most 256 characters/),
      '[1] › mode: expected "allow" or "ask" or "deny", received "maybe"',
      '[2] › tool: expected a string, received nothing',
      '[2]: expected tool, arguments and mode only, received toll',
    ]);
    const many = Array.from({ length: 60 }, () => ({ mode: 'ask' }));
    expect(read(many).problems.slice(49)).toEqual([
      '[49] › tool: expected a string, received nothing',
      'and 10 more problems',
    ]);
    expect(read('{').problems).toEqual([
      expect.stringMatching(/^ORION_APPROVALS_FILE: expected a JSON list/),
    ]);
    const long = Array.from({ length: 200 }, () => ({ tool: 'x'.repeat(100), mode: 'ask' }));
    expect(read(long).problems).toEqual([expect.stringContaining('more than 16384')]);
  });

  it('is read by gateways, not by workers', () => {
    read([{ tool: '*', mode: 'ask' }]);
    const env = { ORION_APPROVALS_FILE: path, ORION_APPROVALS: 'writes', INPUT_EXPIRY_MS: '5000' };
    expect(loadConfig(env).inputs).toEqual({
      approvals: { rules: [{ tool: '*', mode: 'ask' }], setting: 'writes' },
      expiryMs: 5_000,
    });
    expect(loadConfig({}).inputs).toEqual({
      approvals: { rules: [], setting: 'never' },
      expiryMs: 86_400_000,
    });
    const worker = loadServiceConfig({
      ORION_APPROVALS_FILE: '/nowhere',
      DATABASE_URL: 'postgres://x',
      TEMPORAL_ADDRESS: 'x:1',
      ORION_INTERNAL_TOKEN: 'x'.repeat(32),
    });
    expect(worker.inputs.approvals.rules).toEqual([]);
  });
});
