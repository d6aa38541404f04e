import { Command, CommanderError, type CommandUnknownOpts, type Option } from '@commander-js/extra-typings'
import { ConfigurationError, isPaymentsError, RequestValidationError } from '../core/errors.js'
import { version } from '../core/version.js'
import { CommandFailed, UsageError } from './command.js'
import { addDoctorCommand } from './doctor.js'
import { addExampleCommand } from './example.js'
import { addExploreCommand } from './explore.js'
import { addOperationsCommands } from './operations.js'
import { addOrdersCommands } from './orders.js'
import { addPaymentsCommands } from './payments.js'
import { addReconcileCommand } from './reconcile.js'
import { addSandboxCommand } from './sandbox.js'
import { addSessionsCommands } from './sessions.js'
import { addSqlCommand } from './sql.js'
import type { Terminal } from './terminal.js'
import { addWebhooksCommands } from './webhooks.js'

/**
 * Runs a command line.
 *
 * @param args The arguments after the program's name.
 * @returns The exit code: 0 success, 1 failure, 2 invalid command line or environment variable, 130 interrupted.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' })
    return terminal.interrupted.aborted ? 130 : 0
  } catch (error) {
    if (terminal.interrupted.aborted) return 130
    if (error instanceof CommandFailed && error.message === '') return 1
    // Prints nothing, because Commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    terminal.note(...describe(error).split('\n'))
    return usageErrors.some((type) => error instanceof type) ? 2 : 1
  }
}

/** Reports an unknown option only by its name, because its value may be a secret. */
class SafeCommand extends Command {
  override createCommand(name?: string): SafeCommand {
    return new SafeCommand(name)
  }

  /** Overrides a method that commander 15 calls but does not declare. */
  unknownOption(flag: string): void {
    const name = flag.startsWith('--') ? (flag.split('=')[0] as string) : flag.slice(0, 2)
    const isKnown = this.options.some(({ long, short }) => long === name || short === name)
    if (isKnown) this.error(`error: unknown option '${name}' with a value: it takes none`)
    ;(Command.prototype as unknown as SafeCommand).unknownOption.call(this, name)
  }

  /** Overrides a method of commander 15. Reports an unknown option instead, because its name may be misspelled. */
  missingMandatoryOptionValue(option: Option): void {
    const unknown = this.args.find((arg) => /^-./.test(arg))
    if (unknown !== undefined) this.unknownOption(unknown)
    ;(Command.prototype as unknown as SafeCommand).missingMandatoryOptionValue.call(this, option)
  }
}

function createProgram(terminal: Terminal): Command {
  const program = new SafeCommand('payments-client')
    .description('Calls the payments service, tests webhooks, and runs the sandbox.')
    .version(version, '--version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show the help for a command')
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure, 2 invalid command line or environment variable, 130 interrupted.',
    )
    .configureHelp({ subcommandTerm: termOf })
    .exitOverride()
    .showHelpAfterError('See payments-client --help.')
    .configureOutput({
      writeOut: (text) => terminal.print(...text.trimEnd().split('\n')),
      // Omits the superfluous arguments, because they may be secrets.
      outputError: (text, write) => write(text.replace(/( but got \d+): .*/s, '$1.\n')),
      writeErr: (text) => terminal.note(...text.trimEnd().split('\n')),
      getOutHelpWidth: () => terminal.columns ?? 100,
      getErrHelpWidth: () => terminal.columns ?? 100,
    })
  addSandboxCommand(program, terminal)
  addWebhooksCommands(program, terminal)
  addPaymentsCommands(program, terminal)
  addOperationsCommands(program, terminal)
  addOrdersCommands(program, terminal)
  addReconcileCommand(program, terminal)
  addSessionsCommands(program, terminal)
  addDoctorCommand(program, terminal)
  addSqlCommand(program, terminal)
  addExploreCommand(program, terminal)
  addExampleCommand(program, terminal)
  return program
}

/** Returns the left column of the overview, for example `payments get|list`. */
function termOf(command: CommandUnknownOpts): string {
  const children = command.commands.map((child) => child.name()).join('|')
  const operands = command.registeredArguments.map((operand) => `<${operand.name()}>`)
  return [command.name(), children, ...operands].filter(Boolean).join(' ')
}

/** Errors that the user can fix. The exit code is 2. */
const usageErrors = [UsageError, ConfigurationError, RequestValidationError]

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isExpected =
    error instanceof CommandFailed || error instanceof UsageError || isPaymentsError(error) || 'syscall' in error
  return isExpected ? error.message : (error.stack ?? error.message)
}
