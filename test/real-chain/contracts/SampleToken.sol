// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The token that `event-webhooks emulate --anvil` puts on its chain: who deploys it owns all of it.
contract SampleToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant name = "SampleToken";
    string public constant symbol = "SAMPLE";
    uint8 public constant decimals = 18;
    uint256 public constant totalSupply = 1_000_000_000 ether;
    mapping(address owner => uint256) public balanceOf;

    constructor() {
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
