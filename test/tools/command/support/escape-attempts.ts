import { SANDBOX_FILES, secretOf, type SandboxWorld, type WorldFile } from './sandbox-world.ts';

/** One way out of the sandbox. */
export interface Attempt {
  readonly name: string;
  /** Returns the command; files are named by their path from the world's base, whose absolute path is `base`. */
  readonly command: (world: SandboxWorld) => string;
  /** The output that shows that the attempt got out. It is never a part of the command. */
  readonly shows: string;
  /** The reason why the attempt is not made without the sandbox; absent for one that gets out there. */
  readonly onlyInside?: string;
}

const isRoot = process.getuid?.() === 0;

/**
 * The text that an attempt prints when it worked; the command does not contain it, so no error message that quotes the
 * command does.
 */
export const DONE = 'ESCAPED';
const SAY_DONE = `printf 'ESC%s\\n' APED`;

const PROTECTED = SANDBOX_FILES.filter((file) => !file.endsWith('open.txt'));
/** Files that may be read and not written. */
const READABLE: readonly WorldFile[] = [
  'workspace/mine/.git/hooks/pre-commit',
  'workspace/mine/.git/HEAD',
  'workspace/mine/sub/.git/HEAD',
  'workspace/mine/.orion/skills/a.md',
];
const UNREADABLE = PROTECTED.filter((file) => !READABLE.includes(file));
const OUTSIDE = PROTECTED.filter((file) => !file.startsWith('workspace/mine/'));
const UNWRITABLE = [...OUTSIDE, ...READABLE, 'workspace/mine/.git/config' as const];

const python = (code: string): string => `python3 -c '${code.replaceAll("'", `'"'"'`)}'`;
const node = (code: string): string => `node -e '${code.replaceAll("'", `'"'"'`)}'`;

type Way = readonly [name: string, command: (path: string) => string];

const READING: readonly Way[] = [
  ['cat', (path) => `cat ${path}`],
  ['a link', (path) => `ln -sfn ${path} link-$$ && cat link-$$`],
  ['a hard link', (path) => `ln -f ${path} hard-$$ && cat hard-$$`],
  ['a copy', (path) => `cp -f ${path} copy-$$ && cat copy-$$`],
  ['node', (path) => node(`console.log(require("fs").readFileSync("${path}","utf8"))`)],
  ['python by handle', (path) => python(`import os;print(os.read(os.open("${path}",0),999).decode())`)],
];

const READING_MORE: readonly Way[] = [
  ['the root of another process', (path) => `cat /proc/${process.pid}/root${path}`],
  ['its own root', (path) => `cat /proc/self/root${path}`],
  ['grep', (path) => `grep -rh . "$(dirname ${path})"`],
  ['tar', (path) => `tar cf - ${path} 2>/dev/null | tr -d '\\0' | cat`],
  ['a redirection', (path) => `echo "$(<${path})"`],
  ['an open handle', (path) => `exec 9<${path} && cat <&9`],
  [
    'a moved folder',
    (path) => `mv "$(dirname ${path})" moved-$$ && cat moved-$$/*; mv moved-$$ "$(dirname ${path})"`,
  ],
  ['another mode', (path) => `chmod 777 ${path}; cat ${path}`],
];

const WRITING: readonly Way[] = [
  ['a redirection', (path) => `echo ${DONE} >${path}`],
  ['tee', (path) => `echo ${DONE} | tee -a ${path} >/dev/null`],
  ['cp over it', (path) => `echo ${DONE} >new-$$ && cp -f new-$$ ${path}`],
  ['mv over it', (path) => `echo ${DONE} >new-$$ && mv -f new-$$ ${path}`],
  ['a link to it', (path) => `ln -sfn ${path} link-$$ && echo ${DONE} >link-$$`],
  ['sed', (path) => `sed -i s/.*/${DONE}/ ${path}`],
  ['node', (path) => node(`require("fs").writeFileSync("${path}","${DONE}")`)],
];

/** Ways to one file, none of which spoils the next, so that they are tried one after the other in one shell. */
export interface AttemptGroup {
  readonly name: string;
  readonly attempts: readonly Attempt[];
  /** The file that a way which works writes; the shell looks at it and restores it after each of them. */
  readonly written?: WorldFile;
}

const reads = (files: readonly WorldFile[], ways: readonly Way[]): AttemptGroup[] =>
  files.map((file) => ({
    name: `reads ${file} in one of ${ways.length} ways`,
    attempts: ways.map(([name, command]) => ({
      name: `reads ${file} by ${name}`,
      command: ({ base }: SandboxWorld) => command(`${base}/${file}`),
      shows: secretOf(file),
    })),
  }));

/** Returns the line that shows that a file was written; the runner prints it. */
export const writtenLine = (file: string): string => `${file}: ${DONE}`;

const writes = (): AttemptGroup[] =>
  UNWRITABLE.map((file) => ({
    name: `writes ${file} in one of ${WRITING.length} ways`,
    written: file,
    attempts: WRITING.map(([name, command]) => ({
      name: `writes ${file} by ${name}`,
      command: ({ base }: SandboxWorld) => command(`${base}/${file}`),
      shows: writtenLine(file),
    })),
  }));

const alone = (attempt: Attempt): AttemptGroup => ({ name: attempt.name, attempts: [attempt] });

const does = (name: string, command: (world: SandboxWorld) => string, onlyInside?: string): Attempt => ({
  name,
  command: (world) => `{ ${command(world)}; } && ${SAY_DONE}`,
  shows: DONE,
  ...(onlyInside !== undefined && { onlyInside }),
});

/** Returns an attempt that only root can make anywhere. */
const asRoot = (name: string, command: (world: SandboxWorld) => string, onlyInside?: string): Attempt =>
  does(name, command, onlyInside ?? (isRoot ? undefined : 'root alone can'));

const NETWORK: readonly Attempt[] = [
  does('connects over loopback by bash', ({ tcpPort }) => `grep -q machine </dev/tcp/127.0.0.1/${tcpPort}`),
  does('connects by the name localhost', ({ tcpPort }) => `grep -q machine </dev/tcp/localhost/${tcpPort}`),
  does('connects by 0.0.0.0', ({ tcpPort }) => `grep -q machine </dev/tcp/0.0.0.0/${tcpPort}`),
  does('connects by another address of loopback', ({ tcpPort }) =>
    node(
      `require("net").connect(${tcpPort},"127.0.0.1").on("error",()=>process.exit(1)).on("data",()=>process.exit(0))`,
    ),
  ),
  does('connects by Python', ({ tcpPort }) =>
    python(
      `import socket;s=socket.create_connection(("127.0.0.1",${tcpPort}),3);assert b"machine" in s.recv(99)`,
    ),
  ),
  does('connects to a socket file', ({ socket }) =>
    python(
      `import socket;s=socket.socket(socket.AF_UNIX);s.connect("${socket}");assert b"machine" in s.recv(99)`,
    ),
  ),
  does('connects to an abstract socket', ({ abstract }) =>
    python(
      `import socket;s=socket.socket(socket.AF_UNIX);s.connect("\\0${abstract}");assert b"machine" in s.recv(99)`,
    ),
  ),
  does('sees a network device of the machine', () => `ls /sys/class/net/ | grep -qv '^lo$'`),
  does(
    'sees a listening port of the machine',
    ({ tcpPort }) => `grep -qi ":$(printf '%04X' ${tcpPort}) " /proc/net/tcp`,
  ),
  does('sees a socket file in the list of all', ({ socket }) => `grep -q ${socket} /proc/net/unix`),
  does('knows a route', () => `[ "$(wc -l </proc/net/route)" -gt 1 ]`),
  does('binds a port of the machine', () => `[ "$(cat /proc/net/dev | wc -l)" -gt 3 ]`),
  does(
    'listens on a port that is in use',
    ({ tcpPort }) =>
      `! ${python(`import socket;socket.socket().bind(("127.0.0.1",${tcpPort}))`)} 2>/dev/null`,
  ),
  does('sends to a network', () =>
    python('import socket;s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);s.sendto(b"x",("192.0.2.1",9))'),
  ),
];

const PROCESSES: readonly Attempt[] = [
  does('sees a process', ({ victim }) => `[ -d /proc/${victim} ] && grep -q sleep /proc/${victim}/comm`),
  does('finds a process by its name', () => `grep -lq "^sleep$" /proc/[0-9]*/comm`),
  does('signals with 0', ({ victim }) => `grep -q sleep /proc/${victim}/comm && kill -0 ${victim}`),
  does(
    'stops and goes on',
    ({ victim }) => `grep -q sleep /proc/${victim}/comm && kill -STOP ${victim} && kill -CONT ${victim}`,
  ),
  does(
    'signals by node',
    ({ victim }) => `grep -q sleep /proc/${victim}/comm && ${node(`process.kill(${victim},0)`)}`,
  ),
  does(
    'signals by Python',
    ({ victim }) => `grep -q sleep /proc/${victim}/comm && ${python(`import os;os.kill(${victim},0)`)}`,
  ),
  does(
    'changes the priority',
    ({ victim }) => `grep -q sleep /proc/${victim}/comm && renice -n 1 -p ${victim}`,
  ),
  does(
    'changes limits',
    ({ victim }) => `grep -q sleep /proc/${victim}/comm && prlimit --pid ${victim} --nofile=1000:1000`,
  ),
  does('pins to a processor', ({ victim }) => `grep -q sleep /proc/${victim}/comm && taskset -p 1 ${victim}`),
  does('reads the environment', ({ victim }) => `grep -q VICTIM_SECRET /proc/${victim}/environ`),
  does('reads the memory', ({ victim }) => `head -c 1 /proc/${victim}/maps | grep -q .`),
  does('reads the working directory', ({ victim }) => `readlink /proc/${victim}/cwd | grep -q /`),
  does('reads the handles', ({ victim }) => `ls /proc/${victim}/fd | grep -q 0`),
  does('goes through the root', ({ victim }) => `ls /proc/${victim}/root/etc/hostname`),
  does('attaches as a debugger', ({ victim }) =>
    python(
      `import ctypes as c,os;l=c.CDLL(None);assert open("/proc/${victim}/comm").read()=="sleep\\n";assert l.ptrace(16,${victim},0,0)==0;os.waitpid(${victim},0x40000000);l.ptrace(17,${victim},0,0)`,
    ),
  ),
  does('reads memory by a system call', ({ victim }) =>
    python(
      `import ctypes as c;l=c.CDLL(None,use_errno=True);m=[x for x in open("/proc/${victim}/maps")][0];a=int(m.split("-")[0],16);b=c.create_string_buffer(4)\nclass V(c.Structure):_fields_=[("p",c.c_void_p),("n",c.c_size_t)]\nassert l.process_vm_readv(${victim},c.byref(V(c.addressof(b),4)),1,c.byref(V(a,4)),1,0)==4`,
    ),
  ),
  does(
    'reads the environment of the worker',
    () => `tr '\\0' '\\n' </proc/${process.pid}/environ | grep -q .`,
  ),
  does('sees the worker', () => `grep -qi node /proc/${process.pid}/cmdline`),
  does(
    'ends all that it may',
    ({ victim }) => `kill -9 -1; kill -9 ${victim}; [ -d /proc/${victim} ]`,
    'ends the machine',
  ),
  does('ends its parents', () => `kill -9 $PPID; kill -9 1; false`, 'ends the tests'),
];

const PRIVILEGES: readonly Attempt[] = [
  asRoot('makes a user namespace', () => `unshare -Ur true`),
  asRoot('makes a mount namespace', () => `unshare -Urm mount -t tmpfs none /mnt`),
  asRoot('mounts', () => `mkdir -p m && mount -t tmpfs none m && umount m`),
  asRoot('mounts over itself', () => `mkdir -p m && mount --bind src m && umount m`),
  asRoot('takes a cover off', () => `umount .env`, 'nothing covers it there'),
  asRoot(
    'mounts a folder again to write it',
    ({ folder }) => `mount -o remount,rw,bind ${folder}/.git`,
    'changes mounts',
  ),
  asRoot('mounts the system again to write it', () => `mount -o remount,rw,bind /usr`, 'changes mounts'),
  asRoot('mounts its root again to write it', () => `mount -o remount,rw /`, 'changes mounts'),
  asRoot('enters those of a process', ({ victim }) => `nsenter -t ${victim} -n true`),
  asRoot('changes its root', () => `mkdir -p r && chroot . /bin/true || chroot / /bin/true`),
  asRoot('makes a device', () => `mknod dev-$$ c 1 3`),
  asRoot('has a capability', () => `! grep -q 'CapEff:\\s*0000000000000000' /proc/self/status`),
  asRoot('may get one', () => `! grep -q 'CapBnd:\\s*0000000000000000' /proc/self/status`),
  asRoot('may get more privileges', () => `grep -q 'NoNewPrivs:\\s*0' /proc/self/status`),
  asRoot('becomes another user', () => `setpriv --reuid 65534 --clear-groups true`),
  asRoot('gives a file away', () => `touch given && chown 12345 given`),
  asRoot(
    'makes a program that runs as its owner, and it does',
    () => `cp /bin/true t && chmod u+s t && grep -q 'NoNewPrivs:\\s*0' /proc/self/status`,
  ),
  asRoot('reads the messages of the kernel', () => `dmesg | head -1 | grep -q .`),
  asRoot('writes a setting of the kernel', () => `cat /proc/sys/vm/swappiness >/proc/sys/vm/swappiness`),
  asRoot(
    'writes the core pattern',
    () => `cp /proc/sys/kernel/core_pattern p && cat p >/proc/sys/kernel/core_pattern`,
  ),
  asRoot('writes a setting of processes', () => `cat /proc/sys/kernel/pid_max >/proc/sys/kernel/pid_max`),
  asRoot('writes a setting of files', () => `cat /proc/sys/fs/file-max >/proc/sys/fs/file-max`),
  asRoot(
    'opens the magic key',
    () => python('import os;os.open("/proc/sysrq-trigger",os.O_WRONLY)'),
    'some kernels have none',
  ),
  asRoot('reads the timers of the machine', () => `head -c 1 /proc/timer_list | grep -q .`),
  asRoot(
    'reads the memory of the kernel',
    () => `head -c 4 /proc/kcore | grep -q ELF`,
    'some kernels have none',
  ),
  asRoot('reads keys of the machine', () => `grep -q . /proc/keys`),
  asRoot('reads what the kernel has allocated', () => `grep -q . /proc/slabinfo`),
  asRoot('reads addresses of devices', () => `grep -q . /proc/iomem`),
  asRoot('binds an interrupt', () => `cat /proc/irq/default_smp_affinity >/proc/irq/default_smp_affinity`),
  asRoot(
    'raises its priority',
    () => `nice -n -5 true 2>&1 | grep -q . && false || [ "$(nice -n -5 nice)" -lt "$(nice)" ]`,
  ),
  asRoot(
    'reads its own cover',
    () => `cat /proc/1/mountinfo | grep -q covers && chmod 644 .env && cat .env`,
    'there is none there',
  ),
  asRoot('asks for the key ring of the kernel', () =>
    python(
      'import ctypes as c;l=c.CDLL(None);assert l.syscall(250,0,-3,1)>0;assert l.syscall(248,b"user",b"k",b"v",1,-3)>0',
    ),
  ),
  asRoot('loads a program into the kernel', () =>
    python(
      'import ctypes as c,ctypes;l=c.CDLL(None,use_errno=True);r=l.syscall(321,0,(c.c_char*128)(1,0,0,0,4,0,0,0,4,0,0,0,1,0,0,0),128);assert r>=0',
    ),
  ),
  asRoot('counts events of the kernel', () =>
    python(
      'import ctypes as c,struct;l=c.CDLL(None,use_errno=True);a=struct.pack("=IIQ",1,128,0)+bytes(112);assert l.syscall(298,a,0,-1,-1,0)>=0',
    ),
  ),
  asRoot('handles its page faults', () => python('import ctypes as c;assert c.CDLL(None).syscall(323,0)>=0')),
  asRoot('opens a ring for system calls', () =>
    python('import ctypes as c;assert c.CDLL(None).syscall(425,4,(c.c_char*256)())>=0'),
  ),
  asRoot('opens a file by its handle', () =>
    python(
      'import ctypes as c,os;l=c.CDLL(None,use_errno=True);h=(c.c_char*136)();h[0]=128;m=c.c_int();assert l.name_to_handle_at(-100,b".",h,c.byref(m),0)==0;assert l.open_by_handle_at(os.open(".",0),h,0)>=0',
    ),
  ),
  asRoot('sets the name of the machine', () => `hostname "$(hostname)"`),
  asRoot('sets the clock', () => python('import time;time.clock_settime(0,time.time())')),
];

const FILES_OF_THE_MACHINE: readonly Attempt[] = [
  asRoot('reads the passwords', () => `grep -q root /etc/shadow`),
  asRoot('sees homes', () => `ls -d /root /home`),
  does('sees what runs', () => `ls -d /run /var/lib /var/log`),
  does('sees devices', () => `ls -d /sys/devices /sys/kernel`),
  does('sees disks', () => `ls /dev | grep -Eq '^(sd|vd|nvme|loop|mem|kmsg)'`),
  does('sees the folder of other projects', ({ base }) => `ls ${base}/workspace | grep -q other`),
  does('sees beside it by ..', () => `ls .. | grep -q other`),
  does('sees the data directory', ({ base }) => `ls ${base} | grep -q data`),
  asRoot('writes into its own root', () => `touch /escaped-$$ && rm /escaped-$$`),
  does('writes beside its folder', () => `touch ../escaped-$$ && rm ../escaped-$$`),
  asRoot('writes programs', () => `touch /usr/local/bin/escaped-$$ && rm /usr/local/bin/escaped-$$`),
  asRoot('writes settings of the system', () => `touch /etc/escaped-$$ && rm /etc/escaped-$$`),
  asRoot('writes devices', () => `touch /dev/escaped-$$ && rm /dev/escaped-$$`),
  does('removes the folder of repositories', () => `rm -rf .git; [ ! -e .git/HEAD ]`),
  does('moves it away', () => `mv .git old-$$ && mkdir .git && mv old-$$/* .git/`),
  does('moves the folder of skills away', () => `mv .orion old-$$ && mv old-$$ .orion`),
  does('makes a skill', () => `echo hi >.orion/skills/b.md`),
  does('removes a covered file', () => `rm -f .env; [ ! -e .env ]`),
  does('moves a covered file', () => `mv .env env.txt && grep -q . env.txt`),
  does(
    'has a secret of the worker in its environment',
    () => `env | grep -q '^PWD=' && env | grep -q WORKER_SECRET`,
    'it is not handed on there either',
  ),
];

/** All groups of attempts; their names differ. */
export const ATTEMPT_GROUPS: readonly AttemptGroup[] = [
  ...reads(UNREADABLE, READING),
  ...reads(['outside/secret.txt', 'workspace/mine/a/b/prod.env'], READING_MORE),
  ...writes(),
  ...[...NETWORK, ...PROCESSES, ...PRIVILEGES, ...FILES_OF_THE_MACHINE].map(alone),
];
