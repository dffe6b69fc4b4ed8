import { CommanderError } from 'commander';
import { createProgram } from '../args/program.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';

/**
 * Runs `orion completion <shell>`, which prints a script, and `orion complete -- <words>`, which the script calls at
 * every Tab to get suggestions.
 */
export const runCompletion = async (argv: readonly string[]): Promise<ExitCode> => {
  const { default: addCompletion } = await import('@bomb.sh/tab/commander');
  const program = createProgram(() => undefined).exitOverride();
  addCompletion(program, { completionCommandName: 'completion' });
  try {
    program.parse(argv, { from: 'user' });
    if (argv[0] === 'completion' && argv[1] === 'bash') process.stdout.write(BASH_WORD_SPLITTER);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
};

/**
 * Replaces a function of the package bash-completion, which the script for bash calls and which not every machine has.
 * This replacement returns the words up to the cursor and rejoins what bash split at `=` and `:`. It avoids
 * `words[-1]`, which the bash of macOS does not know.
 */
const BASH_WORD_SPLITTER = `if ! type _get_comp_words_by_ref &>/dev/null; then
    _get_comp_words_by_ref() {
        local line=$COMP_LINE index piece
        words=()
        for ((index = 0; index <= COMP_CWORD; index++)); do
            piece=\${COMP_WORDS[index]}
            if ((index > 0)) && [[ $line != [[:blank:]]* ]]; then
                words[\${#words[@]} - 1]+=$piece
            else
                words+=("$piece")
            fi
            line=\${line#"\${line%%[![:blank:]]*}"}
            line=\${line#"$piece"}
        done
        cword=$((\${#words[@]} - 1))
        cur=\${words[cword]}
        prev=\${words[cword > 0 ? cword - 1 : 0]}
    }
fi
`;
