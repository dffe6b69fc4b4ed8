/*
 * The first import of the page: schemas check when they are made whether they may generate code, and the page's content
 * policy treats that check as a violation.
 */
import { config } from 'zod';

config({ jitless: true });
