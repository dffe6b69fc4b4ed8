/**
 * Shapes of keys and tokens by which providers can be recognised, whatever the name beside them: keys of models and
 * payments, of code hosts and clouds, and signed tokens (JWT). Each begins with a fixed text, and its repetitions have
 * bounds or consume what they have searched, since the text may be hostile.
 */
export const KEY_SHAPES: readonly RegExp[] = [
  /(?<![\w-])(?:sk|pk|rk|gsk|xai|xox[a-z])[-_][\w-]{6,}/gi,
  /(?<!\w)(?:gh[a-z]_|github_pat_|glpat-|AKIA|ASIA|AIza)[\w-]{12,}/g,
  /(?<![\w-])eyJ[\w-]{8,2048}\.[\w-]{8,4096}(?:\.[\w-]{0,2048})?/g,
];
