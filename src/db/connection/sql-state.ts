import { fieldsOf } from '../../contracts/values/unchecked-value.ts';

/**
 * Returns the SQLSTATE of an error of Postgres, such as `55P03` (PostgreSQL manual, appendix A). Returns undefined for
 * anything else: no SQLSTATE begins with `E`, as the codes of Node's errors do.
 */
export const sqlStateOf = (error: unknown): string | undefined => {
  const { code } = fieldsOf(error);
  return typeof code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(code) ? code : undefined;
};
