// Package machine says what a verified function is, and is the only maker of one.
//
// Verify runs structured code symbolically, once for each alias pattern of its contract, asks a Prover for a theorem
// wherever one is needed, and checks every theorem. A Verified is evidence of the following, for every initial state
// that meets the contract's precondition and layout (regions disjoint as the contract says, inside the address space):
//
//  1. The code terminates without a fault; every load and store stays in the regions that the contract grants.
//  2. On return the postcondition holds, all output is written, nothing outside the writable regions has changed, and
//     reserved registers and the stack pointer are as before.
//  3. Two runs that agree on the public inputs and on the contract's leaks make the same branches and access the same
//     addresses; no instruction has operand-dependent timing on secret operands.
//  4. Every byte of scratch memory and of the frame that ever held something secret is zero. Registers are not covered.
//  5. Some initial state meets the precondition; the code was run on it and meets the postcondition.
//
// # Facts
//
// A run keeps a list of facts, formulas that hold in every execution that reaches the point, under some assignment to
// the variables made so far that describes the state. A theorem is accepted when its conclusion is exactly the goal and
// its hypotheses are facts at that point. A fact that a branch or a callee contributes may mention new variables; it
// holds only where that code ran, so it leaves a branch as an implication from the branch's condition.
//
// # Labels
//
// Each variable is public or secret. Invariant of the run: for two executions whose initial states agree on the public
// variables and on the leaks there are two assignments, one for each, that satisfy the facts, agree on every public
// variable, and describe the two states at corresponding points. So a term of public variables is the same in both
// executions, and so is a term that is proved equal to one of public variables and leaks. Branch conditions and
// addresses must be such terms.
//
// # Undefined values
//
// Registers, flags and bytes that the code has not defined, or that are undefined by the manual, are poison, the zero
// Term. Reading poison is an error, and a join with poison is poison.
package machine
