/*
 * The first import of the page: schemas look when they are made whether they may make code of text, and the page's
 * content policy takes the question for a violation.
 */
import { config } from 'zod';

config({ jitless: true });
