// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// As much of an ERC-20 token as the example needs. Whoever deploys it mints.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint8 public constant decimals = 6;
    address public immutable owner = msg.sender;
    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        require(msg.sender == owner, "not the owner");
        totalSupply += value;
        move(address(0), to, value);
    }

    function burn(uint256 value) external {
        totalSupply -= value;
        move(msg.sender, address(0), value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(to != address(0), "burn instead");
        move(msg.sender, to, value);
        return true;
    }

    /// The address of zero holds nothing: what comes from there is new, and what goes there is gone.
    function move(address from, address to, uint256 value) private {
        if (from != address(0)) balanceOf[from] -= value;
        if (to != address(0)) balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
