/** The numbers of system calls on one kind of machine, by name. */
type SystemCalls = Readonly<Record<string, number>>;

interface Machine {
  /** The `AUDIT_ARCH_*` of the machine, since a program that runs in another mode has other numbers. */
  readonly arch: number;
  /**
   * Calls that no command needs and that have been used to leave namespaces: mounts, namespaces, keyrings, userfaultfd,
   * perf, io_uring, BPF, kernel modules, clock, host name and kernel log.
   */
  readonly denied: SystemCalls;
  readonly clone: number;
  readonly ioctl: number;
  /** The first number of another set of numbers for the same calls (on x64 that of x32). All of them are refused. */
  readonly otherNumbers?: number;
}

/** Calls with one number on all machines: io_uring, the newer calls for mounts, quotas. */
const SHARED: SystemCalls = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
  quotactl_fd: 443,
};

const MACHINES: Partial<Record<NodeJS.Architecture, Machine>> = {
  x64: {
    arch: 0xc000003e,
    otherNumbers: 0x40000000,
    clone: 56,
    ioctl: 16,
    denied: {
      ...SHARED,
      syslog: 103,
      uselib: 134,
      vhangup: 153,
      modify_ldt: 154,
      pivot_root: 155,
      chroot: 161,
      acct: 163,
      settimeofday: 164,
      mount: 165,
      umount2: 166,
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      sethostname: 170,
      setdomainname: 171,
      iopl: 172,
      ioperm: 173,
      init_module: 175,
      delete_module: 176,
      quotactl: 179,
      nfsservctl: 180,
      lookup_dcookie: 212,
      clock_settime: 227,
      kexec_load: 246,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      unshare: 272,
      perf_event_open: 298,
      fanotify_init: 300,
      open_by_handle_at: 304,
      clock_adjtime: 305,
      setns: 308,
      finit_module: 313,
      kexec_file_load: 320,
      bpf: 321,
      userfaultfd: 323,
    },
  },
  arm64: {
    arch: 0xc00000b7,
    clone: 220,
    ioctl: 29,
    denied: {
      ...SHARED,
      lookup_dcookie: 18,
      umount2: 39,
      mount: 40,
      pivot_root: 41,
      chroot: 51,
      vhangup: 58,
      quotactl: 60,
      acct: 89,
      unshare: 97,
      kexec_load: 104,
      init_module: 105,
      delete_module: 106,
      clock_settime: 112,
      syslog: 116,
      reboot: 142,
      sethostname: 161,
      setdomainname: 162,
      settimeofday: 170,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      swapon: 224,
      swapoff: 225,
      perf_event_open: 241,
      fanotify_init: 262,
      open_by_handle_at: 265,
      clock_adjtime: 266,
      setns: 268,
      finit_module: 273,
      bpf: 280,
      userfaultfd: 282,
      kexec_file_load: 294,
    },
  },
};

/**
 * `clone3` passes its flags in memory, which a filter cannot read. It is refused as unknown, so that programs use
 * `clone` instead.
 */
const CLONE3 = 435;
/** Flags of `clone` that make a namespace, of whatever kind. */
const NEW_NAMESPACES = 0x7e020080;
/** Requests of `ioctl` that type into a terminal: TIOCSTI and TIOCLINUX. */
const TERMINAL_INPUT = [0x5412, 0x541c];

const EPERM = 1;
/** Error of a call that the kernel does not know. Programs then do without that call. */
const ENOSYS = 38;

/** Offsets of the call's number and of the machine's architecture in the kernel's `struct seccomp_data`. */
const NUMBER = 0;
const ARCH = 4;

/** An instruction of classic BPF. `onTrue` and `onFalse` say how many instructions a comparison skips. */
type Instruction = readonly [code: number, onTrue: number, onFalse: number, value: number];

const answer = (value: number): Instruction => [0x06, 0, 0, value];
const allow = answer(0x7fff0000);

const INSTRUCTION_BYTES = 8;

/**
 * Returns the filter for this kind of machine, in the kernel's format (classic BPF, seccomp(2)). Returns undefined if
 * the numbers of its calls are not known.
 */
export const systemCallFilter = (machine: NodeJS.Architecture): Buffer | undefined => {
  const known = MACHINES[machine];
  if (known === undefined) return undefined;
  const program = programFor(known);
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  for (const [index, [code, onTrue, onFalse, value]] of program.entries()) {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(onTrue, at + 2);
    bytes.writeUInt8(onFalse, at + 3);
    bytes.writeUInt32LE(value, at + 4);
  }
  return bytes;
};

const programFor = ({ arch, denied, clone, ioctl, otherNumbers }: Machine): readonly Instruction[] => [
  load(ARCH),
  // Skips the refusal if the program runs in the mode whose numbers are known.
  [0x15, 1, 0, arch],
  refuseWith(ENOSYS),
  load(NUMBER),
  ...(otherNumbers === undefined ? [] : [unlessAtLeast(otherNumbers, 1), refuseWith(ENOSYS)]),
  ...Object.values(denied).flatMap((number) => [unlessEqual(number, 1), refuseWith(EPERM)]),
  unlessEqual(CLONE3, 1),
  refuseWith(ENOSYS),
  // Any call other than `clone` skips to the check of `ioctl`, and any call other than `ioctl` to the end.
  unlessEqual(clone, 4),
  load(argument(0)),
  unlessAnyOf(NEW_NAMESPACES, 1),
  refuseWith(EPERM),
  allow,
  unlessEqual(ioctl, 5),
  load(argument(1)),
  ...TERMINAL_INPUT.flatMap((request) => [unlessEqual(request, 1), refuseWith(EPERM)]),
  allow,
];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];

/** Returns the offset of an argument's lower half, which comes first on these little-endian machines. */
const argument = (index: number): number => 16 + 8 * index;

const refuseWith = (errno: number): Instruction => answer(0x00050000 + errno);

/**
 * Each of these three skips `length` instructions unless the loaded value equals the given one, is at least that, or
 * has one of its bits.
 */
const unlessEqual = (value: number, length: number): Instruction => [0x15, 0, length, value];
const unlessAtLeast = (value: number, length: number): Instruction => [0x35, 0, length, value];
const unlessAnyOf = (bits: number, length: number): Instruction => [0x45, 0, length, bits];
