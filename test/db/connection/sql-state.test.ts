import { expect, it } from '@jest/globals';
import { sqlStateOf } from '../../../src/db/connection/sql-state.ts';

it.each([
  [Object.assign(new Error('lock timeout'), { code: '55P03' }), '55P03'],
  [{ code: '3D000' }, '3D000'],
  [Object.assign(new Error('write'), { code: 'EPIPE' }), undefined],
  [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), undefined],
  [{ code: 28000 }, undefined],
  [undefined, undefined],
])('the SQLSTATE of %o is %p', (error, state) => {
  expect(sqlStateOf(error)).toBe(state);
});
