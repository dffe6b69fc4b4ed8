/**
 * Checks that the ports inside the workflow keep the promises that the core relies on. The same suites run on the
 * doubles with which the core is tested (`test/protocol/port-doubles.test.ts`).
 */
import { describeInputPort } from '../../protocol/support/input-port-contract.ts';
import { describeLeftOut, describeModelPort } from '../../protocol/support/model-port-contract.ts';
import { describeToolExecutor } from '../../protocol/support/tool-executor-contract.ts';
import { describeWriteSessionPort } from '../../protocol/support/write-session-port-contract.ts';
import { openHostedInputs } from '../support/hosted-inputs.ts';
import { openHostedForgetful, openHostedModel } from '../support/hosted-model.ts';
import { useHostedPorts } from '../support/hosted-ports.ts';
import { openHostedSessions } from '../support/hosted-sessions.ts';
import { openHostedTools } from '../support/hosted-tools.ts';

const host = useHostedPorts();

describeInputPort('activity-backed', (script) => openHostedInputs(host, script));

describeToolExecutor('activity-backed', () => openHostedTools(host));

describeModelPort('activity-backed', (deed) => openHostedModel(host, deed));

describeLeftOut('activity-backed', (index) => openHostedForgetful(host, index));

describeWriteSessionPort('activity-backed', (outcome) => openHostedSessions(host, outcome));
