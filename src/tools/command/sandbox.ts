import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GIB, MIB } from '../../contracts/values/units.ts';
import { folderContains } from '../../base/folder-paths.ts';
import { isGitInternal } from '../../files/workspace/protected-files.ts';
import type { ProtectedFiles } from './protected-paths.ts';

/** Folder, in the sandbox, of the Node that runs Orion. It comes last in PATH, after the programs of the system. */
const NODE_FOLDER = '/opt/node';
/** HOME of a command: a directory only for that command, which disappears with it. */
export const SANDBOX_HOME = '/tmp/home';
/** The PATH by which a command in the sandbox finds programs. */
export const SANDBOX_PATH = `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${NODE_FOLDER}/bin`;

/** Empty files that are laid over files that may not be read. */
export interface CoverFiles {
  /**
   * Path of an empty file without permissions. It is laid over closed files except those of git, and over entries of
   * `/proc`.
   */
  readonly closed: string;
  /**
   * Path of an empty file that can be read. It is laid over closed files of git, because git fails where it may not
   * read its settings, and works without any.
   */
  readonly empty: string;
}

/** The parts of a sandbox for one command: its folder, what is covered, and what is not shown. */
export interface Sandbox {
  /** Absolute real path of the only folder of the machine that can be written. It has the same path in the sandbox. */
  readonly folder: string;
  /** Working directory: an absolute path in the sandbox. */
  readonly cwd: string;
  readonly closed: ProtectedFiles;
  readonly covers: CoverFiles;
  /** Folders of the machine that are hidden where the folders around them are shown. */
  readonly hidden: readonly string[];
  /** Path of the program `node`. */
  readonly node: string;
}

/**
 * Returns the arguments of bubblewrap: new namespaces for users, processes, network, IPC, names and control groups, no
 * capability, a file system that has only the system, the folder and temporary folders, and an end together with its
 * parent. Each mount covers what earlier ones show at its place, so their order matters.
 */
export const sandboxArguments = (sandbox: Sandbox): readonly string[] => [
  ...ISOLATION,
  ...systemMounts(),
  ...systemFiles(),
  ...hiddenMounts(sandbox.hidden, SYSTEM_FOLDERS),
  ...nodeMounts(sandbox.node),
  ...processMounts(sandbox),
  '--dev',
  '/dev',
  '--remount-ro',
  '/dev',
  ...tmpfs('/dev/shm', SHARED_MEMORY_BYTES),
  ...tmpfs('/tmp', TMP_BYTES),
  '--dir',
  SANDBOX_HOME,
  '--bind',
  sandbox.folder,
  sandbox.folder,
  ...hiddenMounts(sandbox.hidden, [sandbox.folder]),
  ...closedMounts(sandbox),
  '--remount-ro',
  '/',
  '--chdir',
  sandbox.cwd,
];

/** User and group in the sandbox, whoever runs it. As root, some programs refuse to run or do something else. */
const SANDBOX_USER = '1000';

const ISOLATION: readonly string[] = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--hostname',
  'sandbox',
  '--uid',
  SANDBOX_USER,
  '--gid',
  SANDBOX_USER,
];

/** Folders of the system that a command may read; those that this machine does not have are left out. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

const systemMounts = (): string[] =>
  SYSTEM_FOLDERS.flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink()
      ? ['--symlink', readlinkSync(path), path]
      : ['--ro-bind', path, path];
  });

/** Files of `/etc` that programs need and everybody may know. */
const SYSTEM_FILES = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'debian_version',
  'fonts',
  'group',
  'host.conf',
  'hosts',
  'inputrc',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'login.defs',
  'magic',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'pki/ca-trust/extracted',
  'pki/tls/certs',
  'protocols',
  'services',
  'shells',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
].map((name) => `/etc/${name}`);

const systemFiles = (): string[] =>
  SYSTEM_FILES.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path]);

/** Returns mounts of empty folders over those of `hiddenFolders` that lie below one of `shownFolders`. */
const hiddenMounts = (hiddenFolders: readonly string[], shownFolders: readonly string[]): string[] =>
  hiddenFolders
    .filter((path) => shownFolders.some((folder) => folder !== path && folderContains(folder, path)))
    .flatMap((path) => ['--tmpfs', path]);

/** Returns mounts of Node's installation, with npm beside it; a program that lies by itself is mounted by itself. */
const nodeMounts = (node: string): string[] => {
  const prefix = dirname(dirname(node));
  const isInstallation =
    basename(dirname(node)) === 'bin' && existsSync(join(prefix, 'lib/node_modules/npm'));
  return isInstallation ? ['--ro-bind', prefix, NODE_FOLDER] : ['--ro-bind', node, `${NODE_FOLDER}/bin/node`];
};

/**
 * Entries of `/proc` that concern the whole machine. A process of root may read and write them as their owner, without
 * any capability and in any namespace. So these are made read-only, and those of the next two lists are covered.
 */
const MACHINE_WIDE_READ_ONLY = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger'];
const MACHINE_WIDE_CLOSED = [
  'iomem',
  'kallsyms',
  'kcore',
  'key-users',
  'keys',
  'kmsg',
  'kpagecgroup',
  'kpagecount',
  'kpageflags',
  'latency_stats',
  'mtrr',
  'pagetypeinfo',
  'sched_debug',
  'slabinfo',
  'timer_list',
  'timer_stats',
  'vmallocinfo',
];
const MACHINE_WIDE_EMPTY = ['acpi', 'asound', 'scsi', 'driver', 'pressure', 'dynamic_debug'];

const processMounts = ({ covers }: Sandbox): string[] => [
  '--proc',
  '/proc',
  ...machineWide(MACHINE_WIDE_READ_ONLY).flatMap((path) => ['--ro-bind', path, path]),
  ...machineWide(MACHINE_WIDE_CLOSED).flatMap((path) => ['--ro-bind', covers.closed, path]),
  ...machineWide(MACHINE_WIDE_EMPTY).flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
];

const machineWide = (names: readonly string[]): readonly string[] =>
  names.map((name) => `/proc/${name}`).filter((path) => existsSync(path));

const TMP_BYTES = GIB;
const SHARED_MEMORY_BYTES = 256 * MIB;

const tmpfs = (path: string, bytes: number): string[] => [
  '--perms',
  '1777',
  '--size',
  String(bytes),
  '--tmpfs',
  path,
];

const closedMounts = ({ folder, closed, covers }: Sandbox): string[] => [
  ...closed.readOnly.flatMap((path) => ['--ro-bind', join(folder, path), join(folder, path)]),
  ...closed.unreadable.flatMap((path) => ['--ro-bind', coverFor(path, covers), join(folder, path)]),
];

const coverFor = (path: string, covers: CoverFiles): string =>
  path.split('/').some(isGitInternal) ? covers.empty : covers.closed;
