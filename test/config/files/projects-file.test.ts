import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/base/errors/config-error.ts';
import { loadConfig, loadServiceConfig } from '../../../src/config/load-config.ts';
import { readProjects } from '../../../src/config/files/projects-file.ts';

const withFile = <T>(content: unknown, use: (path: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'orion-projects-'));
  const path = join(folder, 'projects.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  try {
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const problemsOf = (content: unknown): string[] =>
  withFile(content, (path) => {
    const problems: string[] = [];
    expect(readProjects(path, problems)).toEqual(new Map());
    return problems.map((problem) => problem.replace(`ORION_PROJECTS_FILE: ${path}: `, ''));
  });

describe('the projects file', () => {
  it('gives projects their temperatures, by mode', () => {
    const file = { a: { temperature: { plan: 0, act: 2 } }, 'b.c': { temperature: { act: 0.5 } }, d: {} };
    const problems: string[] = [];
    const projects = withFile(file, (path) => readProjects(path, problems));
    expect(problems).toEqual([]);
    expect([...projects]).toEqual(Object.entries(file));
  });

  it('is no file when none is named', () => {
    expect(readProjects(undefined, [])).toEqual(new Map());
  });

  it('has all its problems reported at once, with place, expected and received', () => {
    const file = {
      a: { temperature: { plan: 2.1, act: '0.3', both: 1 } },
      b: { temperature: 1 },
      c: { temprature: {} },
      'd e': {},
      f: null,
      g: { temperature: { plan: -0.1 } },
    };
    expect(problemsOf(file).sort()).toEqual([
      'a › temperature › act: expected a number, received "0.3"',
      'a › temperature › plan: expected 0 to 2, received 2.1',
      'a › temperature: expected plan and act only, received both',
      'b › temperature: expected an object, received 1',
      'c: expected temperature only, received temprature',
      'd e: expected 1-128 characters of A-Z a-z 0-9 . _ : -, received "d e"',
      'f: expected an object, received null',
      'g › temperature › plan: expected 0 to 2, received -0.1',
    ]);
    expect(problemsOf([])).toEqual(['expected an object, received []']);
  });

  it.each([
    ['is no JSON', '{', /JSON/],
    ['is empty', '', /JSON/],
  ])('that %s is refused by its path', (_what, text, reason) => {
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/^ORION_PROJECTS_FILE: expected .*projects\.json/),
    ]);
    expect(problemsOf(text)[0]).toMatch(reason);
  });

  it('is refused when it does not exist, too', () => {
    const problems: string[] = [];
    readProjects('/nowhere/projects.json', problems);
    expect(problems).toEqual([
      expect.stringMatching(/^ORION_PROJECTS_FILE: .*\/nowhere\/projects\.json.*ENOENT/),
    ]);
  });

  it('stops the start of a gateway, and is not read by a worker', () => {
    withFile({ a: { temperature: { act: 3 } } }, (path) => {
      const env = { ORION_PROJECTS_FILE: path };
      expect(() => loadConfig(env)).toThrow(ConfigError);
      expect(() => loadConfig(env)).toThrow(/a › temperature › act: expected 0 to 2, received 3/);
      const service = {
        DATABASE_URL: 'postgres://h/d',
        TEMPORAL_ADDRESS: 'h:1',
        ORION_INTERNAL_TOKEN: 'x'.repeat(32),
      };
      expect(loadServiceConfig({ ...env, ...service }).projects).toEqual(new Map());
    });
  });
});
