import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, mean } from '../src/calc.js';

test('two heights are added', () => assert.equal(add(3, 2), 5));
test('the mean of heights', () => assert.equal(mean([1, 2, 6]), 3));
