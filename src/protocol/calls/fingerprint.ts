const mix = (hash: number, unit: number, prime: number): number => Math.imul(hash ^ unit, prime);

/**
 * Short stand-in for a long text, to tell later whether the same text came again without keeping it: its length
 * and two 32-bit multiplicative hashes. Not for secrets: whoever forges a collision only fools his own turn.
 */
export const fingerprint = (text: string): string => {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = mix(a, unit, 0x01000193);
    b = mix(b ^ (b >>> 15), unit, 0x85ebca6b);
  }
  return `${text.length}:${(a >>> 0).toString(36)}:${(b >>> 0).toString(36)}`;
};
