import { docker } from './docker.ts';
import { ROOT } from '../../support/root.ts';

const FILES = ['docker-compose.yml', 'test/containers/support/stand-ins.yml'];

/** docker-compose.yml as a Compose project of its own, on stand-in images. */
export class ComposeStack {
  readonly #project: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #files: readonly string[];
  #key: string | undefined;

  /** Lays the compose files `overlays` over docker-compose.yml. */
  constructor(project: string, env: Readonly<Record<string, string>>, overlays: readonly string[] = []) {
    this.#project = project;
    this.#files = [...FILES, ...overlays].flatMap((file) => ['-f', file]);
    const shell = Object.entries(process.env).filter(([name]) => !/^(ORION|OPENAI|MAX|MODEL)_/.test(name));
    this.#env = { ...Object.fromEntries(shell), ...env };
  }

  compose(...args: readonly string[]): Promise<string> {
    return docker(['compose', '-p', this.#project, ...this.#files, ...args], { cwd: ROOT, env: this.#env });
  }

  container(service: string, index = 1): string {
    return `${this.#project}-${service}-${index}`;
  }

  /** Runs a command in the only container that has the secrets; resolves to what it prints. */
  secrets(...command: readonly string[]): Promise<string> {
    return this.compose('run', '--rm', '--no-deps', '-T', 'secrets', ...command);
  }

  /** Resolves to the owner's API key, which is valid for all projects. */
  async key(): Promise<string> {
    this.#key ??= await this.secrets('cat', '/run/owner/api-key');
    return this.#key;
  }

  /**
   * Resolves to the base URL of a gateway. It is looked up each time, because a restarted container may have another
   * port.
   */
  async gateway(index = 1): Promise<string> {
    return `http://${await this.compose('port', '--index', String(index), 'gateway', '5000')}`;
  }

  async request(url: string, init: RequestInit & { readonly key?: string } = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${init.key ?? (await this.key())}`);
    return fetch(url, { ...init, headers });
  }
}
