/*
 * This file must be the first import of the page. A zod schema checks, when it is created, whether it may generate
 * code. The content security policy of the page would report that check as a violation.
 */
import { config } from 'zod';

config({ jitless: true });
