import { mkdir, realpath } from 'node:fs/promises';
import { idSchema } from '../../contracts/values/ids.ts';
import { replaceFile, type ReplaceOptions } from './replace-file.ts';
import { readExcludedDirectory, Directory, type ExcludedDirectory, type EntryNaming } from './directory.ts';
import { type OpenFile, openRegularFile } from './open-file.ts';
import { isSecretFile, refuseProtected, refuseSecret } from './protected-files.ts';
import { readTargetSize, refuseLink, refuseOtherThanFile } from './target-file.ts';
import { readTargetBefore, type TargetBefore } from './target-before.ts';
import { type DirectoryEntry, WorkspaceWalk } from './walk.ts';
import { classifyFileError, withWorkspaceErrors, WorkspaceError } from './workspace-error.ts';
import { parseWorkspacePath } from './workspace-path.ts';
import type { WriteFence } from './write-fence.ts';
import { removeWriteTemps } from './write-temps.ts';
import type { UseDirectory, Workspace } from './workspace.ts';

export interface WorkspaceOptions {
  /** Path of the root, which is made if it is missing. */
  readonly root: string;
  /** True when each project has a sub-folder, named by its id, which is a jail of its own. */
  readonly hasProjectFolders: boolean;
  /** Path of Orion's own data, which no tool enters even if it lies in the workspace; made if it is missing. */
  readonly excludedDirectory?: string;
  /** The way in which entries of a directory are named. Absent means that it is detected. */
  readonly naming?: EntryNaming;
}

/** Opens the root of the workspace, and makes it if it is missing. Rejects when that is impossible. */
export const openWorkspace = async (options: WorkspaceOptions): Promise<Workspace> => {
  const { root, naming, excludedDirectory } = options;
  await mkdir(root, { recursive: true });
  const excluded =
    excludedDirectory === undefined ? undefined : await makeExcludedDirectory(excludedDirectory);
  const directory = await Directory.openRoot(root, { naming, excluded });
  return new OpenWorkspace(directory, options, await realpath(root));
};

/** Opens the workspace of a gateway or worker, whose own data lie in `dataDir`. */
export const openConfiguredWorkspace = (config: {
  readonly workspace: string;
  readonly hasProjectFolders: boolean;
  readonly dataDir: string;
}): Promise<Workspace> =>
  openWorkspace({
    root: config.workspace,
    hasProjectFolders: config.hasProjectFolders,
    excludedDirectory: config.dataDir,
  });

const makeExcludedDirectory = async (path: string): Promise<ExcludedDirectory> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return readExcludedDirectory(path);
};

class OpenWorkspace implements Workspace {
  readonly #root: Directory;
  readonly #options: WorkspaceOptions;
  readonly #rootPath: string;

  constructor(root: Directory, options: WorkspaceOptions, rootPath: string) {
    this.#root = root;
    this.#options = options;
    this.#rootPath = rootPath;
  }

  async withFile<T>(projectId: string, path: string, use: (file: OpenFile) => Promise<T>): Promise<T> {
    const open = (entry: DirectoryEntry) => {
      refuseSecret(entry);
      return openRegularFile(entry);
    };
    const file = await this.#inProject(projectId, path, (root, rootPath, components) =>
      new WorkspaceWalk(root, components, { rootPath }).walkToEntry(open),
    );
    try {
      return await use(file);
    } catch (error) {
      throw classifyFileError(error, path);
    } finally {
      await file.handle.close();
    }
  }

  withDirectory<T>(projectId: string, path: string, use: UseDirectory<T>): Promise<T> {
    return this.#inProject(projectId, path, (root, rootPath, components) =>
      new WorkspaceWalk(root, components, { rootPath }).walkToDirectory((directory, trail) =>
        use(directory, trail, root),
      ),
    );
  }

  writeFile(
    projectId: string,
    path: string,
    content: Uint8Array,
    options: ReplaceOptions,
  ): Promise<'created' | 'overwritten'> {
    return this.withEntry(projectId, path, { makesDirectories: true }, (entry, key) =>
      replaceFile({ entry, path, key }, content, options),
    );
  }

  async abandonWrites(projectId: string, path: string, { writeName, attempt }: WriteFence): Promise<void> {
    await this.withEntry(projectId, path, { makesDirectories: false }, ({ directory }) =>
      withWorkspaceErrors(path, () => removeWriteTemps(directory, writeName, attempt - 1)),
    );
  }

  async withEntry<T>(
    projectId: string,
    path: string,
    { makesDirectories }: { readonly makesDirectories: boolean },
    use: (entry: DirectoryEntry, key: string) => Promise<T>,
  ): Promise<T> {
    const [settlement] = await this.#inProject(projectId, path, (root, rootPath, components) =>
      new WorkspaceWalk(root, components, { rootPath, makesDirectories, admit: refuseProtected }).walkToEntry(
        async (entry) => {
          await refuseLink(entry);
          // Settled, so that the walk does not take an error of `use` for one of its own, even if it looks like one.
          return Promise.allSettled([use(entry, this.#keyOf(projectId, entry.trail))]);
        },
      ),
    );
    if (settlement.status === 'rejected') throw settlement.reason;
    return settlement.value;
  }

  async resolveTargetKey(projectId: string, path: string): Promise<string> {
    const trail = await this.#inProject(projectId, path, (root, rootPath, components) =>
      new WorkspaceWalk(root, components, { rootPath, admit: refuseProtected }).walkToTrail(
        refuseOtherThanFile,
      ),
    );
    return this.#keyOf(projectId, trail);
  }

  readTargetBefore(projectId: string, path: string): Promise<TargetBefore | null> {
    return this.#readTarget(projectId, path, (entry) => readTargetBefore(entry, !isSecretFile(entry.trail)));
  }

  readTargetBytes(projectId: string, path: string): Promise<number | null> {
    return this.#readTarget(projectId, path, readTargetSize);
  }

  async hasFolder(projectId: string): Promise<boolean> {
    if (!this.#options.hasProjectFolders) return true;
    const name = folderName(projectId);
    const folder = await withWorkspaceErrors(name, () => this.#root.findChild(name));
    await folder?.close();
    return folder !== undefined;
  }

  resolveFolder(projectId: string): Promise<string> {
    return this.#inProject(projectId, '.', (_root, rootPath) => Promise.resolve(rootPath));
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  /** Reads from the file that a write would replace. Returns null if not even its directory exists. */
  async #readTarget<T>(
    projectId: string,
    path: string,
    read: (entry: DirectoryEntry) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await this.withEntry(projectId, path, { makesDirectories: false }, (entry) =>
        withWorkspaceErrors(path, () => read(entry)),
      );
    } catch (error) {
      if (error instanceof WorkspaceError && error.code === 'not_found') return null;
      throw error;
    }
  }

  #keyOf(projectId: string, trail: readonly string[]): string {
    return [...(this.#options.hasProjectFolders ? [projectId] : []), ...trail].join('/');
  }

  /** Runs `work` in the project's root. Errors of the file system and of the workspace become errors about `path`. */
  async #inProject<T>(
    projectId: string,
    path: string,
    work: (root: Directory, rootPath: string, components: readonly string[]) => Promise<T>,
  ): Promise<T> {
    try {
      const components = parseWorkspacePath(path);
      if (!this.#options.hasProjectFolders) return await work(this.#root, this.#rootPath, components);
      const folder = (await this.#root.makeChild(folderName(projectId))).asRoot();
      try {
        return await work(folder, `${this.#rootPath}/${projectId}`, components);
      } finally {
        await folder.close();
      }
    } catch (error) {
      throw classifyFileError(error, path);
    }
  }
}

/**
 * Returns the name of a project's folder. Throws WorkspaceError for a name that begins with a dot: a project `.git`
 * would give git's own files, which run code, to tools that check only names below the folder, and a project `.ssh`
 * would give them the keys of the workspace's owner.
 */
const folderName = (projectId: string): string => {
  const name = idSchema.parse(projectId);
  if (!name.startsWith('.')) return name;
  throw new WorkspaceError(
    'protected',
    '',
    `a project whose id begins with a dot has no folder: expected another id, received ${name}`,
  );
};
