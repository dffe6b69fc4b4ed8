/**
 * The system calls that no command needs and that have let programs out of namespaces before: mounts, namespaces
 * within, keys of the account, other programs' faults, rings, programs and modules in the kernel, its clock, name and
 * messages. Numbers by machine; a filter for bubblewrap is what Linux calls classic BPF (seccomp(2)).
 */
interface Machine {
  /** `AUDIT_ARCH_*`: what runs in another mode has other numbers. */
  readonly arch: number;
  readonly denied: readonly number[];
  readonly clone: number;
  readonly ioctl: number;
  /** Number from which on the same calls have other numbers. */
  readonly otherNumbers?: number;
}

/** Calls with one number on all machines: io_uring, the newer calls for mounts, quotas. */
const SHARED = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 443];

const MACHINES: Partial<Record<NodeJS.Architecture, Machine>> = {
  x64: {
    arch: 0xc000003e,
    otherNumbers: 0x40000000,
    clone: 56,
    ioctl: 16,
    denied: [
      ...SHARED,
      103,
      134,
      153,
      154,
      155,
      161,
      163,
      164,
      165,
      166,
      167,
      168,
      169,
      170,
      171,
      172,
      173,
      175,
      176,
      179,
      180,
      212,
      227,
      246,
      248,
      249,
      250,
      272,
      298,
      300,
      304,
      305,
      308,
      313,
      320,
      321,
      323,
    ],
  },
  arm64: {
    arch: 0xc00000b7,
    clone: 220,
    ioctl: 29,
    denied: [
      ...SHARED,
      18,
      39,
      40,
      41,
      51,
      58,
      60,
      89,
      97,
      104,
      105,
      106,
      112,
      116,
      142,
      161,
      162,
      170,
      217,
      218,
      219,
      224,
      225,
      241,
      262,
      265,
      266,
      268,
      273,
      280,
      282,
      294,
    ],
  },
};

const CLONE3 = 435;
/** Flags of `clone` for every kind of namespace. */
const NEW_NAMESPACES = 0x7e020080;
/** Requests of `ioctl` that type into a terminal. */
const TERMINAL_INPUT = [0x5412, 0x541c];

const EPERM = 1;
/** Error of calls that programs do without where they are not known. */
const ENOSYS = 38;

/**
 * The offsets at which the kernel keeps the values that the filter reads; the lower half of an argument, little-endian.
 */
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number): number => 16 + 8 * index;

type Instruction = readonly [code: number, onTrue: number, onFalse: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const allow = answer(0x7fff0000);
const refuseWith = (errno: number): Instruction => answer(0x00050000 + errno);
/** Skips `length` instructions unless it is equal, at least, or has one of the bits. */
const unlessEqual = (value: number, length: number): Instruction => [0x15, 0, length, value];
const unlessAtLeast = (value: number, length: number): Instruction => [0x35, 0, length, value];
const unlessAnyOf = (bits: number, length: number): Instruction => [0x45, 0, length, bits];

const programFor = ({ arch, denied, clone, ioctl, otherNumbers }: Machine): readonly Instruction[] => [
  load(ARCH),
  [0x15, 1, 0, arch],
  refuseWith(ENOSYS),
  load(NUMBER),
  ...(otherNumbers === undefined ? [] : [unlessAtLeast(otherNumbers, 1), refuseWith(ENOSYS)]),
  ...denied.flatMap((number) => [unlessEqual(number, 1), refuseWith(EPERM)]),
  unlessEqual(CLONE3, 1),
  refuseWith(ENOSYS),
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

const INSTRUCTION_BYTES = 8;

/** The filter for this kind of machine, as the kernel takes it; undefined where its numbers are not known. */
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
